// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/log.hpp"
#include "support/loop_clock.hpp"
#include "tuning/isolation/worker_request.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

class WorkerProcess;

/// How long a worker may take for one step.
struct WatchLimits {
    std::chrono::milliseconds candidate{60'000};  ///< checking a candidate, or timing it
    std::chrono::milliseconds compile{120'000};   ///< one call of the compiler
    std::chrono::milliseconds idle{600'000};      ///< anything else, such as making the data
    std::chrono::milliseconds silent{5'000};      ///< a step, before it is reported as a wait
    std::chrono::milliseconds stopped{5'000};     ///< a stop request, before the first candidate
};

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
    /// One call of the worker's compiler.
    struct Batch {
        std::vector<std::string> configurations;
        LoopClock::Time since;
    };

    void begin(WorkerProcess& worker);
    void pass_on_stop(WorkerProcess& worker);
    void pass_on_turn(WorkerProcess& worker);
    void count_turn();
    /// How long the tuning has lasted, without rests.
    [[nodiscard]] LoopClock::Time active() const { return time_.lasted() - rested_; }
    std::optional<TuneReport> take(WorkerProcess& worker, const Message& message);
    void take_step(const std::string& name, MessageReader& reader);
    void take_measurement(Measurement measurement);
    TuneReport make_report(MessageReader& reader);
    /// Throws the error that a worker reports, unless a new worker can go on after it.
    void take_error(const Message& message);

    /// The step under way, if it takes long.
    [[nodiscard]] std::optional<TuneProgress::Wait> long_wait() const;
    void report_wait() const;

    /// Gives every overdue step its verdict. True if there was one: the worker must be replaced.
    bool judge_overdue_steps();
    [[nodiscard]] bool is_overdue(const Batch& batch) const;
    void judge_overdue_compiles();
    /// Finds out which candidate to blame for the end of a worker.
    void judge_end(const std::string& reason);
    [[nodiscard]] bool loads_code_of_others() const;
    [[nodiscard]] bool is_finalist() const;
    void judge_several_under_way(const std::set<std::string>& compiling);
    [[nodiscard]] std::set<std::string> compiling() const;

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
    bool has_turn_ = true;              ///< as it was told last
    bool is_heard_ = true;              ///< it has sent something since then
    bool rests_ = false;                ///< none of its candidates runs on the device
    std::string counted_;               ///< the last one in ran_
    std::string preparing_;             ///< a step that belongs to no candidate; empty: none
    std::string running_;               ///< the configuration on the device; empty: none
    int ran_ = 0;                       ///< how many candidates have been on the device
    bool loading_ = false;              ///< the running one has not begun its own work
    std::set<std::string> share_code_;  ///< were compiled together with others
    LoopClock::Time since_{0};          ///< when that began; while nothing runs, the last message
    std::map<std::int64_t, Batch> batches_;
};

}  // namespace jitune::internal
