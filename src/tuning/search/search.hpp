// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "strategy/strategy.hpp"
#include "support/loop_clock.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/measure/trial.hpp"
#include "tuning/search/candidate_set.hpp"
#include "tuning/search/compile_ahead.hpp"
#include "tuning/search/evaluation.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// The first round of a tuning: asks the strategy, compiles ahead, checks and times. Used by one
/// thread.
class Search {
public:
    /// All that is referred to must outlive it; `space` is that of the task. Compilers begin at
    /// once, while the caller sets up the rig: the first candidates do not depend on times.
    Search(const Task& task, const SearchSpace& space, BinaryCache& binaries,
           const SearchPlan& plan, const TuneHooks& hooks, const Log& log);

    /// Call it once. Runs on `rig`, which check_known() needs as well, until the strategy ends, the
    /// budget is spent, the plan's limit says so or the stop flag is set. The tuning has lasted for
    /// `setup` by now. The default configuration is evaluated first. `record` gets each verdict as
    /// it comes, also the verdict on a candidate after which the device is lost. Throws
    /// Error(device) when the device is lost, Error(unavailable) when there is no compiler.
    void run(Rig& rig, LoopClock::Time setup, const std::function<void(const Evaluation&)>& record);

    /// History first.
    [[nodiscard]] const std::vector<Evaluation>& evaluations() const { return tried_.all(); }

    /// Compiles and checks the likely finalists that only earlier searches have timed, because a
    /// winner is never taken from a database unchecked.
    void check_known();

    /// Gives one of evaluations() the verdict that overturns its time, and records it.
    void refute(const Evaluation& evaluation, const TrialFailure& failure);

    /// The default configuration, then the incumbent if there is one that the space still holds.
    [[nodiscard]] const std::vector<std::size_t>& seeds() const { return seeds_; }
    [[nodiscard]] const TuneProgress& progress() const { return tried_.progress(); }
    /// The strategy had nothing more to ask.
    [[nodiscard]] bool complete() const { return complete_; }

private:
    void find_seeds();
    void learn_history();
    /// Announces and compiles those that are in the space and were not submitted before.
    void submit(const std::vector<std::size_t>& indexes);
    void submit_first();
    void evaluate_first();
    [[nodiscard]] std::size_t depth() const;
    [[nodiscard]] bool tries_nearly_all() const;
    void evaluate_next();
    void evaluate_under_way();
    /// Tries candidates one after the other; nothing else is compiled or run meanwhile.
    void evaluate_alone(const std::vector<std::size_t>& suspects);
    /// The indexes of configurations' texts, as find() gives them.
    [[nodiscard]] std::vector<std::size_t> find_all(
        const std::vector<std::string>& configurations) const;
    /// Checks and times a candidate that has compiled.
    std::optional<TrialFailure> time(const Binary& binary, Evaluation& evaluation);
    /// The index of a configuration's text; the space's size if it is no candidate.
    [[nodiscard]] std::size_t find(const std::string& configuration) const;
    void tell_strategy(const Evaluation& evaluation);
    void evaluate(CompiledCandidate candidate);
    /// Keeps the binary if it passes.
    std::optional<TrialFailure> compile_and_check(const Evaluation& known);
    /// Whether a compile would perhaps succeed the next time.
    [[nodiscard]] bool lacked_something() const;
    void log_failure(const Evaluation& evaluation) const;
    /// Asks the strategy until so many candidates are submitted and not evaluated, or until it has
    /// nothing more to ask.
    void refill(std::size_t wished);
    /// True if the search ends for another reason than the time.
    [[nodiscard]] bool is_over() const;
    /// True if the budget is used up.
    [[nodiscard]] bool is_spent() const;
    [[nodiscard]] bool on_target() const;

    const Task& task_;
    const SearchSpace& space_;
    const CandidateSet candidates_;
    BinaryCache& binaries_;
    const SearchPlan& plan_;
    const TuneHooks& hooks_;
    const Log& log_;
    const ActiveTime active_;
    LoopClock time_;            ///< a candidate is a turn
    LoopClock::Time setup_{0};  ///< before run()
    std::vector<std::size_t> seeds_;
    std::vector<std::size_t> first_;  // SearchPlan::first, without suspects
    std::vector<std::string> hints_;  // SearchPlan::hints, and the configurations of rules
    Evaluations tried_;
    std::size_t known_ = 0;  // of these, by earlier searches
    std::unordered_set<std::size_t> submitted_;
    std::function<void(const Evaluation&)> record_;
    bool complete_ = false;
    bool postponed_ = false;  // some suspects are left to a later search
    Rig* rig_ = nullptr;      // set by run(), and so is the trial
    std::optional<Trial> trial_;
    std::unique_ptr<Strategy> strategy_;
    bool asking_ = true;                 // the strategy may have more to ask
    std::optional<CompileAhead> ahead_;  // last: its threads read the members above
};

}  // namespace jitune::internal
