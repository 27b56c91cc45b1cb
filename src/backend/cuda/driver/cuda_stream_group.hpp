// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/driver/nccl.hpp"
#include "backend/cuda/launch/cuda_stream_site.hpp"
#include "backend/stream_site.hpp"

namespace jitune::internal {

/// Shared by all groups of a platform.
struct CudaGroups {
    std::mutex mutex;  ///< of StreamGroup::lock(), which guards `peers`
    /// Contexts, the first of which has been let into the memory of the second.
    std::set<std::pair<CUcontext, CUcontext>> peers;
    Nccl nccl;
};

class CudaStreamGroup final : public StreamGroup {
public:
    struct Member {
        DriverDevice* device;
        CUcontext context;
        const CudaSide* events;
        Lane stream, side;
    };

    CudaStreamGroup(CudaGroups& groups, std::vector<Member> members);
    ~CudaStreamGroup() override;

    [[nodiscard]] std::size_t size() const override { return members_.size(); }
    [[nodiscard]] Lane stream(std::size_t member) const override { return members_[member].stream; }
    [[nodiscard]] Lane side(std::size_t member) const override { return members_[member].side; }
    void enter(std::size_t member) override;
    void fork(std::size_t member) override;
    void fetch(void* to, std::size_t owner, const void* from, std::size_t bytes) override;
    void join() override;
    void copy(void* to, const void* from, std::size_t bytes) override;
    void settle() override;
    void all_gather(std::span<void* const> arrays, std::span<const ByteRange> ranges) override;

private:
    void leave() noexcept;
    void wait(Stream stream, CUevent event) const;
    void record(CUevent event, Stream stream) const;
    void let_into(const Member& owner) const;
    bool gathered_by_nccl(std::span<void* const> arrays, std::span<const ByteRange> ranges);
    [[nodiscard]] const Member& here() const { return members_[entered_]; }
    [[nodiscard]] const DriverTable& driver() const { return here().device->driver(); }
    std::vector<bool>::reference has_fetched(std::size_t member, std::size_t owner) {
        return fetched_[member * members_.size() + owner];
    }

    CudaGroups& groups_;
    std::vector<Member> members_;
    std::vector<bool> fetched_;  // by member and owner, since the last settle()
    std::size_t entered_ = 0;
    bool pushed_ = false;
};

}  // namespace jitune::internal
