// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "articles/step.hpp"
#include "dispatch/engine.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// A configuration with the median of its times.
struct StepTime {
    std::string configuration;
    double median_ns = 0;
    double noise = 0;  ///< relative
};

/// The outcome of one step on one input.
struct StepResult {
    enum class Outcome { timed, not_started, failed } outcome = Outcome::timed;
    std::string note;     ///< why it was not started (memory) or failed (compiler, wrong result)
    StepTime standard;    ///< in the article's configuration, or that of jitune's winner; if timed
    double gb_per_s = 0;  ///< with the input read once, in that time
    std::optional<StepTime> best;  ///< in the best configuration, if all were tried
    /// Copies of the input from pageable host memory and of the result to it, if timed. 0 on the
    /// host, where the data is, and for a placed call, whose time includes them.
    double copies_ns = 0;

    [[nodiscard]] bool is_timed() const { return outcome == Outcome::timed; }
    [[nodiscard]] double whole_ns() const { return standard.median_ns + copies_ns; }
};

/// "timed", "not started", "failed"
std::string_view to_string(StepResult::Outcome outcome);

/// Checks and times the steps of one set in the rig of tuning: the same cases, the same data, the
/// same cold cache. Used by one thread.
class StepRunner {
public:
    /// `stop` ends a search early when it becomes true. All three must outlive the runner.
    StepRunner(Engine& engine, const StepSet& set, const std::atomic<bool>& stop)
        : engine_(engine), set_(set), stop_(stop) {}

    /// A step of an article runs in the article's configuration and, with `tune`, also in all
    /// others that it has; nothing of that is stored. jitune's own kernel is tuned by the engine's
    /// strategy and within its budget, against its stored winner, and the winner is stored.
    /// Too little memory, a compile error and a wrong result are outcomes. Throws Error(usage) for
    /// an input that the steps cannot take and Error(device) when the device is lost.
    StepResult run(Device& device, const Step& step, const StepInput& input, bool tune = false);

private:
    void run_article(StepResult& result, Device& device, const Step& step, const StepInput& input,
                     bool tune);
    /// The best of the first `max_evaluations` configurations (0: of all); the first is the
    /// article's.
    StepTime search(const Task& task, std::size_t max_evaluations);
    StepTime tune_own(Device& device, const StepInput& input);

    Engine& engine_;
    const StepSet& set_;
    const std::atomic<bool>& stop_;
    BinaryCache binaries_;
    std::map<std::string_view, Kernel> kernels_;  ///< by file
};

/// The entries of a configuration that a search space leaves open: "block=256". Each step has
/// parameters of its own; those of other steps in its template have one value.
std::string free_parameters(const Configuration& configuration, const SearchSpace& space);

}  // namespace jitune::internal
