// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_stream_group.hpp"

#include <algorithm>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/device_memory.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kExchanging = "exchange data between GPUs";

}  // namespace

CudaStreamGroup::CudaStreamGroup(CudaGroups& groups, std::vector<Member> members)
    : StreamGroup(groups.mutex),
      groups_(groups),
      members_(std::move(members)),
      fetched_(members_.size() * members_.size()) {}

CudaStreamGroup::~CudaStreamGroup() {
    leave();
}

void CudaStreamGroup::leave() noexcept {
    if (pushed_) {
        CUcontext ours = nullptr;
        driver().cuCtxPopCurrent(&ours);  // fails only if another has popped it
        pushed_ = false;
    }
}

void CudaStreamGroup::enter(std::size_t member) {
    if (pushed_ && entered_ == member) {
        return;
    }
    leave();
    entered_ = member;
    here().device->check(driver().cuCtxPushCurrent(here().context), "cuCtxPushCurrent",
                         kExchanging);
    pushed_ = true;
}

void CudaStreamGroup::wait(Stream stream, CUevent event) const {
    here().device->check(driver().cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_DEFAULT),
                         "cuStreamWaitEvent", kExchanging);
}

void CudaStreamGroup::record(CUevent event, Stream stream) const {
    here().device->check(driver().cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT),
                         "cuEventRecordWithFlags", kExchanging);
}

void CudaStreamGroup::fork(std::size_t member) {
    enter(member);
    record(here().events->forked(), here().stream.stream);
    wait(here().side.stream, here().events->forked());
}

/// Copies between GPUs that are not let into each other's memory go through the host.
void CudaStreamGroup::let_into(const Member& owner) const {
    const Member& reader = here();
    if (!groups_.peers.emplace(reader.context, owner.context).second) {
        return;
    }
    int can = 0;
    const CUresult result =
        driver().cuDeviceCanAccessPeer(&can, reader.device->handle(), owner.device->handle());
    if (result == CUDA_SUCCESS && can != 0) {
        const ContextScope scope(*reader.device);
        // A refusal leaves the slow way, or means that access was enabled before.
        reader.device->report(driver().cuCtxEnablePeerAccess(owner.context, 0),
                              "cuCtxEnablePeerAccess");
    }
}

void CudaStreamGroup::fetch(void* to, std::size_t owner, const void* from, std::size_t bytes) {
    const Member& reader = here();
    const Member& other = members_[owner];
    if (owner != entered_ && !has_fetched(entered_, owner)) {
        wait(reader.side.stream, other.events->forked());
        has_fetched(entered_, owner) = true;
    }
    if (reader.context == other.context) {
        reader.device->check(driver().cuMemcpyDtoDAsync(device_address(to), device_address(from),
                                                        bytes, reader.side.stream),
                             "cuMemcpyDtoDAsync", kExchanging);
        return;
    }
    let_into(other);
    reader.device->check(
        driver().cuMemcpyPeerAsync(device_address(to), reader.context, device_address(from),
                                   other.context, bytes, reader.side.stream),
        "cuMemcpyPeerAsync", kExchanging);
}

void CudaStreamGroup::join() {
    record(here().events->joined(), here().side.stream);
    wait(here().stream.stream, here().events->joined());
}

void CudaStreamGroup::copy(void* to, const void* from, std::size_t bytes) {
    here().device->check(driver().cuMemcpyDtoDAsync(device_address(to), device_address(from), bytes,
                                                    here().stream.stream),
                         "cuMemcpyDtoDAsync", kExchanging);
}

void CudaStreamGroup::settle() {
    for (std::size_t owner = 0; owner < size(); ++owner) {
        for (std::size_t reader = 0; reader < size(); ++reader) {
            if (has_fetched(reader, owner)) {
                enter(owner);
                wait(here().stream.stream, members_[reader].events->joined());
            }
        }
    }
    fetched_.assign(fetched_.size(), false);
}

/// NCCL works in primary contexts, and with one stream for each device.
bool CudaStreamGroup::gathered_by_nccl(std::span<void* const> arrays,
                                       std::span<const ByteRange> ranges) {
    std::vector<int> devices;
    std::vector<Stream> streams;
    for (const Member& member : members_) {
        const int device = member.device->handle();
        if (member.context != member.device->primary_context() ||
            std::find(devices.begin(), devices.end(), device) != devices.end()) {
            return false;
        }
        devices.push_back(device);
        streams.push_back(member.stream.stream);
    }
    // NCCL may leave another context in the place of the one that enter() sets; leave() removes
    // that one.
    enter(0);
    const Nccl::Communicators& communicators = groups_.nccl.communicators(devices);
    if (!communicators.empty()) {
        groups_.nccl.all_gather(communicators, streams, arrays, ranges);
    }
    leave();
    return !communicators.empty();
}

void CudaStreamGroup::all_gather(std::span<void* const> arrays, std::span<const ByteRange> ranges) {
    if (size() == 1 || gathered_by_nccl(arrays, ranges)) {
        return;
    }
    for (std::size_t member = 0; member < size(); ++member) {
        fork(member);
    }
    for (std::size_t member = 0; member < size(); ++member) {
        enter(member);
        for (std::size_t turn = 1; turn < size(); ++turn) {
            const std::size_t owner = (member + turn) % size();  // not all from one at once
            const auto at = [&](std::size_t i) {
                return static_cast<std::byte*>(arrays[i]) + ranges[owner].begin;
            };
            if (ranges[owner].count > 0) {
                fetch(at(member), owner, at(owner), ranges[owner].count);
            }
        }
        join();
    }
    settle();
}

}  // namespace jitune::internal
