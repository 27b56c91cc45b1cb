// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_replay.hpp"

#include <algorithm>
#include <utility>

#include "backend/cuda/launch/capture.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kCapturing = "capture a call on several GPUs";
constexpr const char* kReplaying = "replay a call on several GPUs";
constexpr std::size_t kMostCalls = 64;  // that are remembered

/// The streams that stand for those of the members while a call is captured.
class CapturedStreams {
public:
    explicit CapturedStreams(const std::vector<CudaMember>& members) : members_(members) {
        using Beside = CudaStreamSite::Beside;
        for (CudaMember& member : members_) {
            const CudaSide& stream = member.site->side(Beside::captured);
            const CudaSide& side = member.site->side(Beside::captured_side);
            streams_.push_back(&stream);
            ends_.push_back(
                {member.device, member.context, member.events->forked(), stream.joined()});
            member.events = &side;
            member.stream.stream = stream.stream();
            member.side.stream = side.stream();
        }
    }

    [[nodiscard]] const std::vector<CudaMember>& members() const { return members_; }
    [[nodiscard]] const std::vector<CudaReplay::Member>& ends() const { return ends_; }
    [[nodiscard]] CUstream first() const { return streams_[0]->stream(); }

    /// Begins the streams where the members' streams will be at each replay. The first one is
    /// captured already.
    void begin() const {
        record(streams_[0]->forked(), first());
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            if (i > 0) {
                wait(streams_[i]->stream(), streams_[0]->forked());
            }
            wait(streams_[i]->stream(), ends_[i].begin, CU_EVENT_WAIT_EXTERNAL);
        }
    }

    /// Ends them so that all are part of the first one's capture.
    void end() const {
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            record(members_[i].events->joined(), members_[i].side.stream);
            wait(streams_[i]->stream(), members_[i].events->joined());
            record(ends_[i].end, streams_[i]->stream(), CU_EVENT_RECORD_EXTERNAL);
            if (i > 0) {
                record(streams_[i]->forked(), streams_[i]->stream());
                wait(first(), streams_[i]->forked());
            }
        }
    }

private:
    void record(CUevent event, Stream stream, unsigned flags = CU_EVENT_RECORD_DEFAULT) const {
        members_[0].device->call(&DriverTable::cuEventRecordWithFlags, kCapturing, event, stream,
                                 flags);
    }
    void wait(Stream stream, CUevent event, unsigned flags = CU_EVENT_WAIT_DEFAULT) const {
        members_[0].device->call(&DriverTable::cuStreamWaitEvent, kCapturing, stream, event, flags);
    }

    std::vector<CudaMember> members_;
    std::vector<const CudaSide*> streams_;
    std::vector<CudaReplay::Member> ends_;
};

}  // namespace

CudaReplay::CudaReplay(std::vector<Member> members, CUgraph graph, const Launchers& launchers,
                       std::vector<CallCount*> counts)
    : members_(std::move(members)), launchers_(launchers), counts_(std::move(counts)) {
    const std::shared_ptr<DriverDevice>& device = members_.front().device;
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
        graphs_[i] = std::make_unique<Graph>(device, &DriverTable::cuGraphExecDestroy);
        device->call(&DriverTable::cuGraphInstantiateWithFlags, kReplaying, graphs_[i]->out(),
                     graph, 0);
        device->call(&DriverTable::cuGraphUpload, kReplaying, graphs_[i]->get(), launchers_[i]);
    }
}

bool CudaReplay::is_behind() const {
    const Member& first = members_.front();
    const RelaxedCaptures scope(*first.device);
    return first.device->driver().cuEventQuery(first.begin) == CUDA_ERROR_NOT_READY;
}

void CudaReplay::enqueue(std::span<const Stream> streams) {
    try {
        enqueue_all(streams);
    } catch (const Error&) {
        const RelaxedCaptures scope(*members_.front().device);
        for (const CUstream launcher : launchers_) {
            members_.front().device->try_call(&DriverTable::cuStreamSynchronize, launcher);
        }
        throw;
    }
    for (CallCount* const count : counts_) {
        count->fetch_add(1, std::memory_order_relaxed);
    }
}

void CudaReplay::enqueue_all(std::span<const Stream> streams) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        const Member& member = members_[i];
        member.device->launched().store(true, std::memory_order_relaxed);
        member.device->call(&DriverTable::cuEventRecordWithFlags, kReplaying, member.begin,
                            streams[i], CU_EVENT_RECORD_DEFAULT);
    }
    const Member& first = members_.front();
    PushedContext context;
    context.push(first.device->driver(), first.context, kReplaying);
    first.device->call(&DriverTable::cuGraphLaunch, kReplaying, graphs_[turn_]->get(),
                       launchers_[turn_]);
    turn_ = 1 - turn_;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        members_[i].device->call(&DriverTable::cuStreamWaitEvent, kReplaying, streams[i],
                                 members_[i].end, CU_EVENT_WAIT_DEFAULT);
    }
}

std::unique_ptr<CudaReplay> capture_replay(
    const std::vector<CudaMember>& members,
    const std::function<void(const std::vector<CudaMember>&)>& enqueue,
    std::vector<CallCount*> counts) {
    const CapturedStreams streams(members);
    const std::shared_ptr<DriverDevice>& device = members.front().device;
    const ContextScope scope(*device);  // a capture of the app goes on
    DriverHandle<CUgraph> graph(device, &DriverTable::cuGraphDestroy);
    {
        StreamCapture capture(*device, streams.first(), kCapturing);
        streams.begin();
        enqueue(streams.members());
        streams.end();
        device->check(capture.end(graph.out()), "cuStreamEndCapture", kCapturing);
    }
    return std::make_unique<CudaReplay>(
        streams.ends(), graph.get(),
        CudaReplay::Launchers{streams.first(), streams.members()[0].side.stream},
        std::move(counts));
}

CudaReplay* CudaReplays::find(const GroupKey& key) {
    const auto found = calls_.find(key);
    if (found == calls_.end() || found->second.replay == nullptr) {
        return nullptr;
    }
    found->second.last = ++now_;
    return found->second.replay.get();
}

bool CudaReplays::is_due(const GroupKey& key) {
    const auto [place, is_new] = calls_.try_emplace(key);
    Call& call = place->second;
    call.last = ++now_;
    if (calls_.size() > kMostCalls) {
        calls_.erase(
            std::min_element(calls_.begin(), calls_.end(), [](const auto& one, const auto& other) {
                return one.second.last < other.second.last;
            }));
    }
    return !is_new && !call.refused && call.replay == nullptr;
}

void CudaReplays::put(const GroupKey& key, std::unique_ptr<CudaReplay> replay) {
    if (const auto found = calls_.find(key); found != calls_.end()) {
        found->second.refused = replay == nullptr;
        found->second.replay = std::move(replay);
    }
}

}  // namespace jitune::internal
