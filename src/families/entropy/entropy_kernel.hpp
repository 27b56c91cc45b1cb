// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/family.hpp"
#include "families/entropy/entropy_problem.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

inline constexpr std::string_view kEntropyFamily = "entropy";  ///< Family::name

/// Data for the windowed entropy. Problems are those of entropy_problem(); the inputs of a case are
/// the levels and the scale, which is 1. Stateless and thread-safe.
class EntropyWorkload : public Workload {
public:
    /// Noise, flat areas, one level, elements outside of the levels, and windows that reach over
    /// all borders at once.
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    /// Noise, with all levels equally likely.
    [[nodiscard]] Case timed(const Problem& problem) const override;
};

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& entropy_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that entropy_kernel() has made. Throws Error(usage) for a malformed
/// spec.
Kernel entropy_kernel_of(std::span<const std::string> spec);

/// Family::launch_bytes.
std::optional<double> entropy_bytes(const NamedLaunch& launch);

}  // namespace jitune::internal
