// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_stream_group.hpp"

#include <algorithm>

#include "backend/cuda/driver/context.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kExchanging = "exchange data between GPUs";

class CudaStreamGroup final : public StreamGroup {
public:
    CudaStreamGroup(CudaGroups& groups, std::vector<CudaMember> members)
        : StreamGroup(groups.mutex),
          groups_(groups),
          members_(std::move(members)),
          fetched_(members_.size() * members_.size()) {}

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

    void fetch(void* to, std::size_t owner, const void* from, std::size_t bytes) override {
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
        let_into(other);
        reader.device->call(&DriverTable::cuMemcpyPeerAsync, kExchanging, device_address(to),
                            reader.context, device_address(from), other.context, bytes,
                            reader.side.stream);
    }

    void join() override {
        record(here().events->joined(), here().side.stream);
        wait(here().stream.stream, here().events->joined());
    }

    void copy(void* to, const void* from, std::size_t bytes) override {
        here().device->call(&DriverTable::cuMemcpyDtoDAsync, kExchanging, device_address(to),
                            device_address(from), bytes, here().stream.stream);
    }

    void settle() override {
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

private:
    void wait(Stream stream, CUevent event) const {
        here().device->call(&DriverTable::cuStreamWaitEvent, kExchanging, stream, event,
                            CU_EVENT_WAIT_DEFAULT);
    }

    void record(CUevent event, Stream stream) const {
        here().device->call(&DriverTable::cuEventRecordWithFlags, kExchanging, event, stream,
                            CU_EVENT_RECORD_DEFAULT);
    }

    /// Copies between GPUs that are not let into each other's memory go through the host.
    void let_into(const CudaMember& owner) const {
        const CudaMember& reader = here();
        if (!groups_.peers.emplace(reader.context, owner.context).second) {
            return;
        }
        int can = 0;
        const CUresult result = reader.device->driver().cuDeviceCanAccessPeer(
            &can, reader.device->handle(), owner.device->handle());
        if (result == CUDA_SUCCESS && can != 0) {
            const ContextScope scope(*reader.device);
            // A refusal leaves the slow way, or means that access was enabled before.
            reader.device->try_call(&DriverTable::cuCtxEnablePeerAccess, owner.context, 0);
        }
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
    std::vector<bool> fetched_;  // by member and owner, since the last settle()
    PushedContext context_;      // of the member that is entered
    std::size_t entered_ = 0;
};

}  // namespace

std::unique_ptr<StreamGroup> make_stream_group(CudaGroups& groups,
                                               std::vector<CudaMember> members) {
    return std::make_unique<CudaStreamGroup>(groups, std::move(members));
}

}  // namespace jitune::internal
