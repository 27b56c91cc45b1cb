// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/device.hpp"
#include "dispatch/engine.hpp"
#include "support/log.hpp"
#include "sweep/deadline.hpp"
#include "sweep/hints.hpp"
#include "sweep/problem_queue.hpp"
#include "sweep/sweep_problem.hpp"
#include "sweep/sweep_result.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

/// How far the tuning of one problem is.
struct RunState {
    std::string device;  ///< "cuda:0"
    std::string name;    ///< "float32 sum 2^20"
    TuneProgress tune;
    double elapsed_s = 0;
    std::size_t known = 0;  ///< candidates that earlier tunings had tried

    /// Updates the state with what a tuning tells after a verdict, or while it waits for a
    /// candidate.
    void go_on(const TuneProgress& progress, double after_s) {
        if (tune.evaluated == 0 && progress.evaluated > 0) {
            known = progress.evaluated - 1;  // all but the first of this run
        }
        tune = progress;
        elapsed_s = after_s;
    }
};

/// How far a sweep is.
struct SweepState {
    std::size_t done = 0;
    std::size_t kept = 0;  ///< those of them that were skipped because their winners are complete
    std::size_t problems = 0;
    std::vector<RunState> runs;  ///< one for each device that works
    double spent_s = 0;          ///< on the problems that are done, of all devices together
    double budget_s = 0;         ///< per problem; zero: no limit
};

/// Is told what a sweep does, one call at a time, on any thread.
class SweepObserver {
public:
    virtual ~SweepObserver() = default;
    /// A problem is done.
    virtual void done(const SweepRow& row) = 0;
    /// A candidate was tried.
    virtual void progress(const SweepState& state) = 0;
};

/// Chooses the order of a sweep's problems while it goes on. One call at a time, on any thread.
class SweepOrder {
public:
    virtual ~SweepOrder() = default;

    /// The problems that are to be tuned, the first one first. Others are not tuned unless a later
    /// order names them.
    virtual std::vector<std::size_t> begin() = 0;

    /// The problems that are to be tuned now that `row` is done, which took `seconds`. May name
    /// problems that other devices work on or have done: they are skipped.
    virtual std::vector<std::size_t> after(const SweepRow& row, double seconds) = 0;
};

/// When the search for one problem may end: SearchPlan::target_ns and target_speed_up.
struct SweepTarget {
    double time_ns = 0;
    double speed_up = 0;
};

/// How a sweep searches, beside what the engine's options say.
struct SweepSearch {
    SweepTarget target = {};
    std::size_t evaluations = 0;  ///< zero: no limit
    Hints hints = {};
    Deadline until = {};  ///< no problem begins later
    bool again = false;   ///< races complete winners, too, instead of skipping their problems
    /// The devices that others use, if that is known; else the sweep finds out when it begins.
    std::optional<std::set<const Device*>> busy = {};
    SweepOrder* order = nullptr;  ///< must outlive the sweep; null: the order of the problems
};

/// The devices of a sweep. The name of a platform stands for all its devices; an empty text for all
/// GPUs, or the host if there is none; any other text is the id of one device. Throws as
/// Engine::device().
std::vector<Device*> sweep_devices(Engine& engine, const std::string& id);

std::vector<std::string> ids_of(const std::vector<Device*>& devices);

/// Tunes problems on several devices at the same time, each of which takes the next problem from
/// one queue, and stores the winners.
class Sweep {
public:
    /// The objects that it refers to must outlive it.
    Sweep(Engine& engine, std::vector<Device*> devices, std::vector<SweepProblem> problems,
          SweepSearch search, const std::atomic<bool>& stop, SweepObserver& observer);

    [[nodiscard]] const SweepDescription& description() const { return result_; }

    /// Returns when all problems are done, or soon after `stop` became true. A problem that needs
    /// more memory than there is, or that cannot be solved, is a row like others. A problem that a
    /// device could not work on goes to another device of its class. Throws Error for a failure
    /// that belongs to no single problem, once the other devices are done with their problems.
    SweepResult run();

private:
    /// Throws the error that ends the work of all devices.
    void work(std::size_t device);
    [[nodiscard]] bool is_late() const;
    void tune(std::size_t device, std::size_t problem);
    /// False if it was stopped before there was anything to report.
    bool tune_into(SweepRow& row, std::size_t device);
    bool skip_pinned(SweepRow& row, const Task& task);
    /// As tune_into(), for a problem with `around`, which always has something to report.
    void tune_around_into(SweepRow& row, const Task& task, const TuneHooks& hooks);
    /// As tune_into(), for a problem with a domain.
    bool tune_range_into(SweepRow& row, const Task& task, const SearchPlan& plan,
                         const TuneHooks& hooks);
    /// True if a winner that was tuned beside other processes may be tuned better now.
    [[nodiscard]] bool is_worth_another_try(const Winner& winner, const Device& device) const {
        return trust_of(winner) == Trust::provisional && !busy_.contains(&device);
    }
    [[nodiscard]] SearchPlan plan_for(const Task& task, double budget_part) const;
    /// Writes into `row` what `error` means for its problem; false if the error ends the sweep.
    bool explains(const Error& error, SweepRow& row) const;
    void begin(std::size_t device, std::size_t problem);
    void go_on(std::size_t device, const TuneProgress& progress, double elapsed_s);

    Engine& engine_;
    const std::vector<Device*> devices_;
    const std::vector<SweepProblem> problems_;
    const SweepSearch search_;
    const std::atomic<bool>& stop_;
    SweepObserver& observer_;
    ProblemQueue queue_;
    SweepResult result_;
    std::set<const Device*> busy_;

    std::mutex mutex_;  // of all below, and held while the observer is told
    SweepState state_;
    std::map<std::size_t, RunState> runs_;                          ///< by device
    std::set<std::pair<std::size_t, std::string>> begun_;           ///< problems and device classes
    std::map<std::pair<std::size_t, std::size_t>, SweepRow> rows_;  ///< by problem and device
};

/// The devices that other processes use right now, so that times taken on them may be disturbed.
/// Warns of each. Waits for 100 ms if the host is one of them, and for 1.2 s if a GPU seems
/// to be busy, which is asked again then.
std::set<const Device*> busy_devices(const std::vector<Device*>& devices, const Log& log);

}  // namespace jitune::internal
