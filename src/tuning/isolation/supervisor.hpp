// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/log.hpp"
#include "support/loop_clock.hpp"
#include "tuning/isolation/worker_request.hpp"
#include "tuning/isolation/worker_steps.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

class WorkerProcess;

/// One tuning as its supervisor sees it, over all the workers that it takes. It follows each
/// worker's messages, so that it knows at any time which candidates are under way, and decides
/// which of them to blame when a worker ends or hangs.
class SupervisedTuning {
public:
    /// Everything but the request must outlive it.
    SupervisedTuning(WorkerRequest request, const TuneHooks& hooks, const RecordMaker& record_maker,
                     const WatchLimits& limits, const Log& log,
                     std::atomic<std::int64_t>& compiles);

    /// Has `worker` tune from what is known so far. Returns the report. Returns nothing if the
    /// worker must be replaced: then the candidates to blame have verdicts or are suspects. Throws
    /// the tuning's own error. Throws Error(unavailable) after a stop request: soon if the tuning
    /// is given up, and after a while if it has tried no candidate. Throws Error(device) if three
    /// workers in a row end before they try a candidate, and Error(verify) if a second worker ends
    /// in a step of no candidate.
    std::optional<TuneReport> follow(WorkerProcess& worker);

private:
    void begin(WorkerProcess& worker);
    void pass_on_stop(WorkerProcess& worker);
    void pass_on_turn(WorkerProcess& worker);
    void count_turn();
    /// How long the tuning has lasted, without rests.
    [[nodiscard]] LoopClock::Time active() const { return time_.lasted() - rested_; }
    std::optional<TuneReport> take(WorkerProcess& worker, const Message& message);
    void take_measurement(Measurement measurement);
    TuneReport make_report(MessageReader& reader);
    /// Throws the error that a worker reports, unless a new worker can go on after it.
    void take_error(const Message& message);

    void tell_wait() const;

    /// Gives every overdue step its verdict. True if there was one: the worker must be replaced.
    bool judge_overdue_steps();
    bool judge_overdue_compiles();
    /// Finds out which candidate to blame for the end of a worker.
    void judge_end(const std::string& reason);
    [[nodiscard]] bool is_finalist() const;
    void judge_several_under_way(const std::set<std::string>& compiling);

    void suspect(const std::vector<std::string>& configurations);
    void charge(const std::string& configuration, Verdict verdict, const std::string& reason);
    void count_futile(const Error& error);

    WorkerRequest request_;  ///< its plan grows with what is learned: history, suspects, spent
    const TuneHooks& hooks_;
    const RecordMaker& record_maker_;
    const WatchLimits& limits_;
    Log log_;
    std::atomic<std::int64_t>& compiles_;
    TuneReport report_;
    SharedImage image_;  ///< of the last incumbent that the worker sent
    std::map<std::string, std::size_t> history_index_;  ///< by configuration
    /// Candidates that were being compiled when a worker died. Another candidate, now a suspect,
    /// ran at that time.
    std::set<std::string> doubtful_;
    int futile_ = 0;  ///< workers in a row that ended before they tried a candidate
    LoopClock time_;
    LoopClock::Time rested_{0};
    std::optional<LoopClock::Time> search_began_;  ///< active() then
    std::optional<LoopClock::Time> stopped_;       ///< when the stop request was seen
    std::chrono::milliseconds spent_before_;

    // The state of the present worker.
    bool told_to_stop_ = false;
    bool has_turn_ = true;  ///< as it was told last
    bool is_heard_ = true;  ///< it has sent something since then
    WorkerSteps steps_{LoopClock::Time(0)};
};

/// Tunes in a worker process and survives it: a candidate that takes the worker down or does not
/// come back gets a verdict, and a new worker continues with all that is known. One worker serves
/// problem after problem. Used by one thread.
class Supervisor {
public:
    /// `program` is the jitune command, whose workers run at this nice value. The instances that
    /// its workers compile are added to `compiles`, which must outlive it.
    Supervisor(std::filesystem::path program, int nice, const WatchLimits& limits, const Log& log,
               std::atomic<std::int64_t>& compiles);
    ~Supervisor();

    /// Starts a worker if none is ready. Throws Error(unavailable) if that fails, and if the tuning
    /// is stopped before a worker is ready: at once if the tuning is given up, else after a while.
    void start(const TuneHooks& hooks);

    /// Tunes as tune() does. Calls all hooks on the calling thread; of the observer, only
    /// announce() and measured(). When a worker dies, a candidate that was under way by itself gets
    /// the verdict; if several were, each of them runs alone in the next worker. Throws what tune()
    /// throws, Error(unavailable) if no worker can be started, and what
    /// SupervisedTuning::follow() throws.
    TuneReport tune(WorkerRequest request, const TuneHooks& hooks, const RecordMaker& record_maker);

private:
    std::filesystem::path program_;
    int nice_;
    WatchLimits limits_;
    Log log_;
    std::atomic<std::int64_t>& compiles_;
    std::unique_ptr<WorkerProcess> worker_;
};

}  // namespace jitune::internal
