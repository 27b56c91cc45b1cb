// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "backend/cuda/driver/context.hpp"
#include "backend/cuda/driver/driver_device.hpp"
#include "backend/cuda/launch/cuda_stream_site.hpp"
#include "backend/stream_site.hpp"

namespace jitune::internal {

/// A member of a group, and the side of its stream.
struct CudaMember {
    std::shared_ptr<DriverDevice> device;
    CUcontext context;
    CudaStreamSite* site;
    const CudaSide* events;
    StreamGroup::Lane stream, side;
};

/// The work of one call on several streams, as one graph over all their devices. The graph has a
/// root for each stream, which waits for an event that the stream records, and a leaf for each,
/// which records an event that the stream waits for. So streams wait for each other no more than
/// in the call itself.
class CudaReplay {
public:
    struct Member {
        std::shared_ptr<DriverDevice> device;
        CUcontext context;
        CUevent begin, end;
    };
    /// Two streams to launch on, which must outlive it, as must the members' events. All contexts
    /// are primary ones.
    using Launchers = std::array<CUstream, 2>;

    /// Does not keep `graph`. The context of the first member must be current. Throws
    /// Error(device).
    CudaReplay(std::vector<Member> members, CUgraph graph, const Launchers& launchers,
               std::vector<CallCount*> counts);

    /// True if the first stream has not come to its last call yet. Then the host has time to
    /// enqueue the next one step by step, which the devices work off faster: on their streams,
    /// kernels follow each other with no event between.
    [[nodiscard]] bool is_behind() const;

    /// For one thread at a time. Throws Error(device), after it has waited for what is launched.
    void enqueue(std::span<const Stream> streams);

private:
    using Graph = DriverHandle<CUgraphExec>;

    void enqueue_all(std::span<const Stream> streams);

    std::vector<Member> members_;
    Launchers launchers_;
    std::vector<CallCount*> counts_;
    // A graph does not begin before its last launch has ended on all devices. Two take turns, so
    // that each device begins a call when its own part of the call before is done.
    std::array<std::unique_ptr<Graph>, 2> graphs_;
    std::size_t turn_ = 0;
};

/// Captures what `enqueue` enqueues on the members that it is given, whose streams stand for those
/// of `members`. The context of the first must be current, and all must be primary ones. Throws
/// Error(device), and what `enqueue` throws.
std::unique_ptr<CudaReplay> capture_replay(
    const std::vector<CudaMember>& members,
    const std::function<void(const std::vector<CudaMember>&)>& enqueue,
    std::vector<CallCount*> counts);

/// The replays of the calls that come again. Not thread-safe.
class CudaReplays {
public:
    /// The replay of the key's call; nullptr if that call has none.
    CudaReplay* find(const GroupKey& key);

    /// True if the key was noted before, its call has no replay yet, and none was refused. Else
    /// notes it, and forgets the call that has not come for longest if there are many.
    bool is_due(const GroupKey& key);

    /// nullptr: this call cannot be captured. Nothing for a key that was not noted: it needs no
    /// memory.
    void put(const GroupKey& key, std::unique_ptr<CudaReplay> replay);
    void forget(const GroupKey& key) { calls_.erase(key); }

private:
    struct Call {
        std::unique_ptr<CudaReplay> replay;
        bool refused = false;
        std::uint64_t last = 0;
    };
    std::map<GroupKey, Call> calls_;
    std::uint64_t now_ = 0;
};

}  // namespace jitune::internal
