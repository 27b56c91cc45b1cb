// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/hints.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_result.hpp"
#include "cli/sweep_target.hpp"
#include "dispatch/engine.hpp"
#include "sweep/problem_queue.hpp"

namespace jitune::internal {

/// How a sweep searches, beside what the engine's options say.
struct SweepSearch {
    SweepTarget target = {};
    std::size_t evaluations = 0;  ///< zero: no limit
    Hints hints = {};
};

/// The devices of a sweep: all of the kind for "cuda", "host" and "auto", one for "cuda:N" and
/// "machine". Throws as Engine::backend().
std::vector<Device*> sweep_devices(Engine& engine, const std::string& word);

/// One sweep: tunes the problems of a plan on several devices at the same time, each of which takes
/// the next problem from one queue, and stores what it finds.
class Sweep {
public:
    /// What it refers to must outlive it. `show` gets whole lines of the table, one call at a time,
    /// on any thread.
    Sweep(Engine& engine, std::vector<Device*> devices, SweepPlan plan, SweepSearch search,
          const std::atomic<bool>& stop, std::function<void(const std::string&)> show);

    /// Returns when all problems are done, or soon after `stop` became true; its rows are in the
    /// order of the plan. A problem that cannot be had (memory) or solved is a row like others. One
    /// that a device could not work on is another's of its class. Throws Error for what is no
    /// single problem's fault, once the other devices are done with theirs.
    SweepResult run();

private:
    void work(std::size_t device);
    void tune(std::size_t device, std::size_t problem);
    void tune_into(SweepRow& row, std::size_t device);
    /// Explains in `row` what `error` means for its problem; false where it is no problem's.
    bool is_of_the_problem(const Error& error, SweepRow& row) const;
    void begin(std::size_t device, const SweepProblem& problem);
    void go_on(std::size_t device, const TuneProgress& progress, double elapsed_s);
    [[nodiscard]] std::string title() const;
    [[nodiscard]] std::vector<std::string> device_ids() const;

    Engine& engine_;
    const std::vector<Device*> devices_;
    const SweepPlan plan_;
    const SweepSearch search_;
    const std::atomic<bool>& stop_;
    const std::function<void(const std::string&)> show_;
    ProblemQueue queue_;
    const SweepTable table_;
    SweepResult result_;

    std::mutex mutex_;  // of all below
    Progress progress_;
    SweepState state_;
    std::map<std::size_t, RunState> runs_;                          ///< by device
    std::map<std::pair<std::size_t, std::size_t>, SweepRow> rows_;  ///< by problem and device
    std::exception_ptr error_;
};

}  // namespace jitune::internal
