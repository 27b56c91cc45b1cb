// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "articles/reduction_steps.hpp"

namespace jitune::internal {

/// A configuration with the median of its times.
struct StepTime {
    std::string configuration;
    double median_ns = 0;
    double noise = 0;  ///< relative
};

/// What became of one step.
struct StepRow {
    enum class Outcome { timed, skipped, failed } outcome = Outcome::timed;
    std::string note;   ///< why it was skipped (memory) or failed (compiler, wrong result)
    StepTime standard;  ///< in the article's configuration, if timed
    std::optional<StepTime> best;  ///< in the best one there is, if it was looked for
};

/// Throws Error(usage) for a device that is not CUDA's.
void refuse_host_steps(const Device& device);

/// What `measure` makes of a row; a step that does not compile, is wrong or needs too much memory
/// is a row like others. Throws what else goes wrong.
StepRow attempt_step(const std::function<void(StepRow&)>& measure);

/// The best of the first `max_evaluations` configurations (0: of all), the default being the first,
/// checked and timed in the rig of tuning. Nothing is stored. Throws as tune() does.
StepTime time_step(const Task& task, std::size_t max_evaluations, const std::atomic<bool>& stop,
                   BinaryCache& binaries, const Log& log);

/// Checks and times steps for one type and size on one CUDA device, in the rig of tuning: the same
/// cases, the same data, a cold cache. Used by one thread.
class StepRunner {
public:
    /// `stop` ends a search early when it becomes true. Throws Error(usage) for a type that steps
    /// do not have and for a device that is not CUDA's.
    StepRunner(Engine& engine, Device& device, ElementType type, std::int64_t n,
               const std::atomic<bool>& stop);

    /// With `tune`, every configuration of the step is tried; nothing of it is stored. Throws
    /// Error(device) when the device is lost, Error(unavailable) when there is no compiler.
    StepRow run(const ReductionStep& step, bool tune);

    /// jitune's own sum: its stored winner raced with what the engine's strategy and budget find;
    /// the winner is stored. `standard` is the winner. Throws as run() does.
    StepRow run_own();

    /// What the memory's clock and bus allow; nothing where the driver does not tell them.
    [[nodiscard]] std::optional<double> peak_gb_per_s() const;
    /// At `median_ns`, with each element read once.
    [[nodiscard]] double gb_per_s(double median_ns) const;

private:
    StepTime search(const ReductionStep& step, std::size_t max_evaluations);
    Engine& engine_;
    Device& device_;
    ElementType type_;
    std::int64_t n_;
    const std::atomic<bool>& stop_;
    BinaryCache binaries_;
};

}  // namespace jitune::internal
