// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "measure/timing_rules.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/record/binary_cache.hpp"
#include "tuning/search/evaluation.hpp"
#include "tuning/task.hpp"
#include "tuning/tune_hooks.hpp"

namespace jitune::internal {

/// Tells the observer that the task's data is about to be made, and the right answers if a function
/// of the caller computes them.
void announce_data(const Task& task, const TuneHooks& hooks);

/// Runs the template's reference launch if the workload does not know the right answers. Throws
/// Error(compile), Error(verify) or Error(device) that names the launch, and Error(usage) if the
/// template has none.
void learn_reference(const Task& task, Rig& rig, BinaryCache& binaries, const TuneHooks& hooks);

/// Checks and times single candidates of a task on its rig. The device is held meanwhile. Used by
/// one thread.
class Trial {
public:
    /// All must outlive it.
    Trial(const Task& task, Rig& rig, const TuneHooks& hooks, const StoppingRule& rule = {})
        : task_(task), rig_(rig), hooks_(hooks), rule_(rule) {}

    /// Awaits a turn, loads the code and checks it on every case.
    std::optional<TrialFailure> check(const Binary& binary, const Configuration& configuration);

    /// Awaits a turn, checks the evaluation's configuration, then takes samples until StoppingRule
    /// has enough, `best_ns` being the best median so far. A slow candidate, and a candidate after
    /// a stop request, get as few samples as can bound a median. Samples and conditions go into
    /// `evaluation`.
    std::optional<TrialFailure> time(const Binary& binary, Evaluation& evaluation,
                                     std::optional<double> best_ns);

private:
    struct Loaded {
        std::shared_ptr<const Program> program;
        LaunchRule rule;
    };
    using Samples = std::vector<double>;

    /// Returns `failure`, or a failure of its own if the candidate has harmed its process.
    std::optional<TrialFailure> with_side_effects(std::optional<TrialFailure> failure);
    std::optional<TrialFailure> time_checked(const Binary& binary, Evaluation& evaluation,
                                             std::optional<double> best_ns, bool alone);
    /// Loads and checks. The caller holds the device.
    std::variant<Loaded, TrialFailure> load_checked(const Binary& binary,
                                                    const Configuration& configuration);
    std::variant<Disturbance, TrialFailure> take_steady_samples(Timer& timer, Samples& samples_ns,
                                                                std::optional<double> best_ns);
    std::optional<TrialFailure> take_samples(Timer& timer, Samples& samples_ns,
                                             std::optional<double> best_ns) const;

    const Task& task_;
    Rig& rig_;
    const TuneHooks& hooks_;
    StoppingRule rule_;
};

}  // namespace jitune::internal
