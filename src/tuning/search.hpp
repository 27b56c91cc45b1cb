// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "measure/stopping_rule.hpp"
#include "strategy/strategy.hpp"
#include "tuning/compile_ahead.hpp"
#include "tuning/rig.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// What became of one configuration in the first round.
struct Evaluation {
    std::size_t index = 0;  ///< in the search space
    Configuration configuration;
    Verdict verdict = Verdict::timed;
    std::string reason;
    std::vector<double> samples_ns;
    std::string conditions;        ///< under which they were taken; empty: by an earlier search
    double median_ns = 0;          ///< if timed
    std::optional<Binary> binary;  ///< if timed by this search
};

/// The first round of tuning one problem: asks the strategy, compiles ahead, checks, times and
/// races. Used by one thread.
class Search {
public:
    /// Compilers begin at once, for candidates that need no time of another: the rig can be set up
    /// meanwhile.
    Search(Device& device, const KernelTemplate& kernel, const Problem& problem,
           const SearchSpace& space, BinaryCache& binaries, const TuneOptions& options,
           const Log& log);

    /// Once. Runs on `rig`, which check_known() needs as well, until the strategy ends, the budget
    /// is spent or the options' stop flag is set. The default configuration is evaluated first.
    /// `record` gets each verdict as it comes, also that on a candidate that takes the device down.
    /// Throws Error(device) when the device is lost, Error( unavailable) when there is no compiler.
    void run(Rig& rig, const std::function<void(const Evaluation&)>& record);

    /// History first.
    [[nodiscard]] const std::vector<Evaluation>& evaluations() const { return evaluations_; }

    /// Compiles and checks what may come into the finals and was timed before this search: what a
    /// database says of it is not trusted with the answer.
    void check_known();

    /// The default configuration, then the incumbent if there is one that the space still holds.
    [[nodiscard]] const std::vector<std::size_t>& seeds() const { return seeds_; }
    [[nodiscard]] const TuneProgress& progress() const { return progress_; }
    /// The strategy had nothing more to ask.
    [[nodiscard]] bool complete() const { return complete_; }

private:
    void learn_history();
    void add(Evaluation evaluation);
    /// Those of them that are in the space and were not submitted before.
    void submit(const std::vector<std::size_t>& indexes);
    void submit_first();
    void evaluate_first();
    /// What was under way when an earlier search died.
    void evaluate_alone(const std::vector<std::size_t>& suspects);
    [[nodiscard]] std::vector<std::size_t> find_all(
        const std::vector<std::string>& configurations) const;
    /// The index of such a text, or the space's size.
    [[nodiscard]] std::size_t find(const std::string& configuration) const;
    void evaluate(CompiledCandidate candidate);
    void begin(const Configuration& configuration, TuneObserver::Phase phase) const;
    struct Loaded {
        std::shared_ptr<const Program> program;
        LaunchRule rule;
    };
    std::optional<TrialFailure> compile_and_check(Evaluation& known);
    /// To be called in a turn on the device.
    std::variant<Loaded, TrialFailure> load_checked(const Binary& binary,
                                                    const Configuration& configuration);
    std::optional<TrialFailure> measure(const Binary& binary, Evaluation& evaluation);
    std::optional<TrialFailure> take_samples(Timer& timer, std::vector<double>& samples_ns) const;
    std::optional<TrialFailure> take_steady_samples(Timer& timer, bool alone,
                                                    Evaluation& evaluation);
    /// Asks until so many are submitted and not evaluated, or the strategy has nothing more to ask.
    void refill(std::size_t wished);
    [[nodiscard]] std::size_t expected_evaluations() const;
    [[nodiscard]] bool out_of_budget() const;
    [[nodiscard]] bool on_target() const;

    Device& device_;
    const KernelTemplate& kernel_;
    const Problem& problem_;
    const SearchSpace& space_;
    BinaryCache& binaries_;
    const TuneOptions& options_;
    const Log& log_;
    std::chrono::steady_clock::time_point begin_;
    std::vector<std::size_t> seeds_;
    StoppingRule rule_;
    std::vector<Evaluation> evaluations_;
    std::unordered_map<std::size_t, std::size_t> place_of_;  // of an index in evaluations_
    std::unordered_set<std::size_t> submitted_;
    std::function<void(const Evaluation&)> record_;
    TuneProgress progress_;
    bool complete_ = false;
    bool postponed_ = false;  // suspects that are left to a later search
    Rig* rig_ = nullptr;      // once it runs
    std::unique_ptr<Strategy> strategy_;
    bool asking_ = true;                 // the strategy
    std::optional<CompileAhead> ahead_;  // last: it stops before what it reads is gone
};

}  // namespace jitune::internal
