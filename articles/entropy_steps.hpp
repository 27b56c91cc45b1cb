// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dispatch/engine.hpp"

namespace jitune::internal {

/// One version of the entropy in the article that docs/reference/article_steps.md names.
struct EntropyStep {
    std::string_view name;    ///< "v0"; the type "step" of its template
    std::string_view change;  ///< what it does that others do not, in a few words
    PlatformKind platform;
};

/// All versions that run on one device, in the author's order.
std::span<const EntropyStep> entropy_steps();

/// The template that has the steps of a backend, with the entropy's workload. Parsed once.
const Kernel& entropy_step_kernel(PlatformKind platform);

/// Windows of 5 x 5 over size x size float32 elements of 16 levels, as in the article.
Problem entropy_step_problem(const EntropyStep& step, std::int64_t size);

/// What a kernel takes for one array.
struct EntropyTime {
    enum class Outcome { timed, skipped, failed } outcome = Outcome::timed;
    std::string note;  ///< why it was skipped (memory) or failed (compiler, wrong result)
    std::string configuration;
    double kernel_ns = 0;  ///< median
    /// From and to host memory: 0 on the host, where the data is.
    double copies_ns = 0;
    double placed_ns = 0;  ///< in place of both: of a placed call as a whole

    [[nodiscard]] double whole_ns() const { return kernel_ns + copies_ns + placed_ns; }
};

/// Checks and times the step in the article's configuration, in the rig of tuning. Throws
/// Error(device) when the device is lost.
EntropyTime run_entropy_step(Engine& engine, Device& device, const EntropyStep& step,
                             std::int64_t size, const std::atomic<bool>& stop);

/// The same of jitune's own kernel, tuned within the engine's budget; its winner is stored.
EntropyTime run_own_entropy(Engine& engine, Device& device, std::int64_t size,
                            const std::atomic<bool>& stop);

/// The article's v14: a call on host memory as it is placed by tuning within the engine's budget;
/// the winner is stored. Only the whole is timed.
EntropyTime run_placed_entropy_step(Engine& engine, std::int64_t size,
                                    const std::atomic<bool>& stop);

}  // namespace jitune::internal
