// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_stream_group.hpp"

#include <algorithm>
#include <cstring>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/cuda_device.hpp"
#include "backend/cuda/launch/capture.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kExchanging = "exchange data between GPUs";

class CudaStreamGroup final : public StreamGroup {
public:
    CudaStreamGroup(CudaGroups& groups, std::vector<CudaMember> members)
        : StreamGroup(groups.mutex),
          groups_(groups),
          members_(std::move(members)),
          fetched_(members_.size() * members_.size()),
          sent_(members_.size()),
          joined_(members_.size()) {}
    ~CudaStreamGroup() override {
        // A call that has failed leaves copies into the work memory of others, whose next call
        // would not wait for them.
        for (std::size_t owner = 0; owner < size(); ++owner) {
            if (sent_[owner] && !captures_) {
                const CudaMember& member = members_[owner];
                const RelaxedCaptures scope(*member.device);
                member.device->try_call(&DriverTable::cuStreamSynchronize, member.side.stream);
            }
        }
    }

    [[nodiscard]] std::size_t size() const override { return members_.size(); }
    [[nodiscard]] Lane stream(std::size_t member) const override { return members_[member].stream; }
    [[nodiscard]] Lane side(std::size_t member) const override { return members_[member].side; }

    void enter(std::size_t member) override {
        if (!context_.is_pushed() || entered_ != member) {
            context_.pop();
            entered_ = member;
            context_.push(here().device->driver(), here().context, kExchanging);
        }
    }

    void fork(std::size_t member) override {
        enter(member);
        record(here().events->forked(), here().stream.stream);
        wait(here().side.stream, here().events->forked());
    }

    void exchange(std::span<const GroupCopy> copies) override {
        if (const PieceCopier* const copier = copier_for(copies)) {
            send(*copier, copies);
            return;
        }
        for (const auto& [reader, owner, copy] : copies) {
            enter(reader);
            fetch(copy.to, owner, copy.from, copy.bytes);
        }
    }

    void join() override {
        record(here().events->joined(), here().side.stream);
        wait(here().stream.stream, here().events->joined());
        joined_[entered_] = true;
    }

    void copy(std::span<const MemoryCopy> copies) override {
        if (const PieceCopier* const copier = this->copier()) {
            copier->enqueue(copies, here().stream.stream, kExchanging);
            return;
        }
        for (const MemoryCopy& copy : copies) {
            here().device->call(&DriverTable::cuMemcpyDtoDAsync, kExchanging,
                                device_address(copy.to), device_address(copy.from), copy.bytes,
                                here().stream.stream);
        }
    }

    void settle() override {
        for (std::size_t owner = 0; owner < size(); ++owner) {
            for (std::size_t reader = 0; reader < size(); ++reader) {
                if (has_fetched(reader, owner)) {
                    enter(owner);
                    wait(here().stream.stream, members_[reader].events->joined());
                }
            }
            if (sent_[owner] && !joined_[owner]) {
                enter(owner);
                wait(here().stream.stream, here().events->sent());
            }
        }
        fetched_.assign(fetched_.size(), false);
        sent_.assign(sent_.size(), false);
        joined_.assign(joined_.size(), false);
    }

    void all_gather(std::span<void* const> arrays, std::span<const ByteRange> ranges) override {
        if (size() == 1 || gathered_by_nccl(arrays, ranges)) {
            return;
        }
        for (std::size_t member = 0; member < size(); ++member) {
            fork(member);
        }
        for (std::size_t member = 0; member < size(); ++member) {
            enter(member);
            for (std::size_t turn = 1; turn < size(); ++turn) {
                const std::size_t owner =
                    (member + turn) % size();  // not all from the same at once
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

    void read_back(std::span<const void* const> from, std::span<std::byte> to) override {
        constexpr const char* reading = "read results back";
        const RelaxedCaptures scope(*members_.front().device);
        std::byte* const into = staging(to);
        const std::size_t bytes = to.size() / size();
        try {
            for (std::size_t i = 0; i < size(); ++i) {
                enter(i);
                here().device->call(&DriverTable::cuMemcpyDtoHAsync, reading, into + i * bytes,
                                    device_address(from[i]), bytes, here().stream.stream);
            }
            for (std::size_t i = 0; i < size(); ++i) {
                enter(i);
                here().device->call(&DriverTable::cuStreamSynchronize, reading,
                                    here().stream.stream);
            }
        } catch (const Error&) {
            groups_.staging.reset();  // copies of this call may still come
            throw;
        }
        std::memmove(to.data(), into, to.size());
    }

    void learn(const GroupKey& key, const std::function<void(StreamGroup&)>& enqueue,
               const std::function<std::vector<CallCount*>()>& counts) noexcept override {
        std::unique_ptr<CudaReplay> replay;
        try {
            if (!can_capture() || !groups_.replays.is_due(key)) {
                return;
            }
            enter(0);
            const auto enqueue_inside = [&](const std::vector<CudaMember>& stand_ins) {
                CudaStreamGroup inside(groups_, stand_ins);
                inside.captures_ = true;
                enqueue(inside);
            };
            replay = capture_replay(members_, enqueue_inside, counts());
        } catch (const std::exception&) {  // it goes on without a replay
        }
        groups_.replays.put(key, std::move(replay));
    }

private:
    /// The owner sends, because a kernel can read any memory of its own device, and what it writes
    /// is work memory from cuMemAlloc, to which cuCtxEnablePeerAccess gives access.
    void send(const PieceCopier& copier, std::span<const GroupCopy> copies) {
        std::vector<MemoryCopy> pieces;
        for (std::size_t owner = 0; owner < size(); ++owner) {
            pieces.clear();
            std::vector<bool> readers(size());
            for (const GroupCopy& one : copies) {
                if (one.owner == owner) {
                    pieces.push_back(one.copy);
                    readers[one.reader] = one.reader != owner;
                }
            }
            if (pieces.empty()) {
                continue;
            }
            enter(owner);
            for (std::size_t reader = 0; reader < size(); ++reader) {
                if (readers[reader]) {
                    wait(here().side.stream, members_[reader].events->forked());
                }
            }
            sent_[owner] = true;
            copier.enqueue(pieces, here().side.stream, kExchanging);
            record(here().events->sent(), here().side.stream);
        }
        // Only now, so that no side sends later because it waits for another.
        std::vector<bool> has_waited(size() * size());
        for (const auto& [reader, owner, copy] : copies) {
            if (reader != owner && !has_waited[reader * size() + owner]) {
                has_waited[reader * size() + owner] = true;
                enter(reader);
                wait(here().side.stream, members_[owner].events->sent());
            }
        }
    }

    void fetch(void* to, std::size_t owner, const void* from, std::size_t bytes) {
        const CudaMember& reader = here();
        const CudaMember& other = members_[owner];
        if (owner != entered_ && !has_fetched(entered_, owner)) {
            wait(reader.side.stream, other.events->forked());
            has_fetched(entered_, owner) = true;
        }
        if (reader.context == other.context) {
            reader.device->call(&DriverTable::cuMemcpyDtoDAsync, kExchanging, device_address(to),
                                device_address(from), bytes, reader.side.stream);
            return;
        }
        has_access(reader, other);
        reader.device->call(&DriverTable::cuMemcpyPeerAsync, kExchanging, device_address(to),
                            reader.context, device_address(from), other.context, bytes,
                            reader.side.stream);
    }

    void wait(Stream stream, CUevent event) const {
        here().device->call(&DriverTable::cuStreamWaitEvent, kExchanging, stream, event,
                            CU_EVENT_WAIT_DEFAULT);
    }

    void record(CUevent event, Stream stream) const {
        here().device->call(&DriverTable::cuEventRecordWithFlags, kExchanging, event, stream,
                            CU_EVENT_RECORD_DEFAULT);
    }

    /// Whether `one` can read and write the memory of `other`; gives access if the hardware can.
    bool has_access(const CudaMember& one, const CudaMember& other) const {
        if (one.context == other.context) {
            return true;
        }
        const auto [place, is_new] = groups_.peers.try_emplace({one.context, other.context}, false);
        int can = 0;
        if (is_new &&
            one.device->driver().cuDeviceCanAccessPeer(&can, one.device->handle(),
                                                       other.device->handle()) == CUDA_SUCCESS &&
            can != 0) {
            PushedContext context;
            context.push(one.device->driver(), one.context, kExchanging);
            const ContextScope scope(*one.device);
            const CUresult result = one.device->driver().cuCtxEnablePeerAccess(other.context, 0);
            place->second =
                result == CUDA_SUCCESS || result == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
        }
        return place->second;
    }

    /// nullptr: copies go through the driver.
    const PieceCopier* copier() const {
        if (!groups_.copier) {
            groups_.copier.emplace();
            try {
                *groups_.copier = std::make_unique<const PieceCopier>(here().device);
            } catch (const Error&) {  // the driver's copies do it, too
            }
        }
        return groups_.copier->get();
    }

    const PieceCopier* copier_for(std::span<const GroupCopy> copies) const {
        const bool reaches_all =
            std::all_of(copies.begin(), copies.end(), [&](const GroupCopy& one) {
                return has_access(members_[one.owner], members_[one.reader]);
            });
        return reaches_all ? copier() : nullptr;
    }

    /// Page-locked memory, if there is some, so that no copy waits for the one before.
    std::byte* staging(std::span<std::byte> to) const {
        std::unique_ptr<DeviceMemory>& memory = groups_.staging;
        if (memory == nullptr || memory->bytes() < to.size()) {
            try {
                memory = allocate_page_locked(members_.front().device,
                                              std::max<std::size_t>(to.size(), 1024));
            } catch (const Error&) {
                return to.data();
            }
        }
        return static_cast<std::byte*>(memory->data());
    }

    /// A graph outlives the contexts of the app, and cannot wait for default streams.
    [[nodiscard]] bool can_capture() const {
        return std::all_of(members_.begin(), members_.end(), [](const CudaMember& member) {
            return member.events->is_in_primary() && member.stream.stream != nullptr &&
                   member.stream.stream != CU_STREAM_LEGACY &&
                   member.stream.stream != CU_STREAM_PER_THREAD;
        });
    }

    /// NCCL works in primary contexts, and with one stream for each device.
    bool gathered_by_nccl(std::span<void* const> arrays, std::span<const ByteRange> ranges) {
        std::vector<int> devices;
        std::vector<Stream> streams;
        for (const CudaMember& member : members_) {
            const int device = member.device->handle();
            if (member.context != member.device->primary_context() ||
                std::find(devices.begin(), devices.end(), device) != devices.end()) {
                return false;
            }
            devices.push_back(device);
            streams.push_back(member.stream.stream);
        }
        // NCCL may leave another context in the place of the one that is entered, which goes with
        // it.
        enter(0);
        const Nccl::Communicators& communicators = groups_.nccl.communicators(devices);
        if (!communicators.empty()) {
            groups_.nccl.all_gather(communicators, streams, arrays, ranges);
        }
        context_.pop();
        return !communicators.empty();
    }

    [[nodiscard]] const CudaMember& here() const { return members_[entered_]; }
    std::vector<bool>::reference has_fetched(std::size_t member, std::size_t owner) {
        return fetched_[member * members_.size() + owner];
    }

    CudaGroups& groups_;
    std::vector<CudaMember> members_;
    bool captures_ = false;
    std::vector<bool> fetched_;        // by member and owner, since the last settle()
    std::vector<bool> sent_, joined_;  // by member, since the last settle()
    PushedContext context_;            // of the member that is entered
    std::size_t entered_ = 0;
};

}  // namespace

std::unique_ptr<StreamGroup> make_stream_group(CudaGroups& groups,
                                               std::vector<CudaMember> members) {
    return std::make_unique<CudaStreamGroup>(groups, std::move(members));
}

}  // namespace jitune::internal
