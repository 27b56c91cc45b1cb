// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/nccl.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "backend/shared_library.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

std::shared_ptr<const NcclTable> load_nccl() {
    const SharedLibrary library = SharedLibrary::open({"libnccl.so.2"});
    auto table = std::make_shared<NcclTable>();
    library.resolve("ncclGetErrorString", table->error_string);
    library.resolve("ncclCommInitAll", table->init_all);
    library.resolve("ncclCommDestroy", table->destroy);
    library.resolve("ncclGroupStart", table->group_start);
    library.resolve("ncclGroupEnd", table->group_end);
    library.resolve("ncclAllGather", table->all_gather);
    library.resolve("ncclBroadcast", table->broadcast);
    return table;
}

Nccl::Nccl(std::function<std::shared_ptr<const NcclTable>()> load, Log log)
    : load_(std::move(load)), log_(std::move(log)) {}

Nccl::~Nccl() {
    for (const auto& [devices, communicators] : known_) {
        for (const NcclCommunicator communicator : communicators) {
            table_->destroy(communicator);
        }
    }
}

const Nccl::Communicators& Nccl::communicators(const std::vector<int>& devices) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(devices);
    return known != known_.end() ? known->second
                                 : known_.emplace(devices, make(devices)).first->second;
}

Nccl::Communicators Nccl::make(const std::vector<int>& devices) {
    try {
        if (!loaded_) {
            loaded_ = true;
            table_ = load_();
        }
        if (table_ == nullptr) {
            return {};
        }
        Communicators made(devices.size());
        check(table_->init_all(made.data(), static_cast<int>(made.size()), devices.data()),
              "ncclCommInitAll");
        return made;
    } catch (const Error& error) {
        log_.info("GPUs exchange data by copies, without NCCL: {}", error.what());
        return {};
    }
}

void Nccl::check(int result, const char* call) const {
    if (result != kNcclSuccess) {
        throw Error(
            ErrorKind::device,
            fmt::format("gather on several GPUs: {}: {}", call, table_->error_string(result)),
            {NativeCode::Source::nccl, result});
    }
}

void Nccl::all_gather(const Communicators& communicators, std::span<const Stream> streams,
                      std::span<void* const> arrays, std::span<const ByteRange> ranges) const {
    const auto at = [&](std::size_t member, std::size_t owner) {
        return static_cast<std::byte*>(arrays[member]) + ranges[owner].begin;
    };
    const std::size_t size = streams.size();
    const bool even = std::all_of(ranges.begin(), ranges.end(), [&](const ByteRange& range) {
        return range.count == ranges.front().count;
    });
    check(table_->group_start(), "ncclGroupStart");
    int result = kNcclSuccess;
    for (std::size_t i = 0; i < size && result == kNcclSuccess; ++i) {
        if (even) {
            result = table_->all_gather(at(i, i), at(i, 0), ranges[i].count, kNcclInt8,
                                        communicators[i], streams[i]);
        }
        for (std::size_t root = 0; !even && root < size && result == kNcclSuccess; ++root) {
            result = table_->broadcast(at(i, root), at(i, root), ranges[root].count, kNcclInt8,
                                       static_cast<int>(root), communicators[i], streams[i]);
        }
    }
    const int ended = table_->group_end();  // also if a call failed: the group must not stay open
    check(result, even ? "ncclAllGather" : "ncclBroadcast");
    check(ended, "ncclGroupEnd");
}

}  // namespace jitune::internal
