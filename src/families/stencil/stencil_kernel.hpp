// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/family.hpp"
#include "families/stencil/stencil_problem.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

inline constexpr std::string_view kStencilFamily = "stencil";  ///< Family::name

/// Data for stencils whose outputs do not depend on the order of additions: floats and weights are
/// small integers with exact sums, so that the right bits are known. Problems are those of
/// stencil_problem(); the inputs of a case are the elements and the weights. If a problem's
/// alignment is below 16, its input is misaligned by one element. Stateless and thread-safe.
class StencilWorkload : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    [[nodiscard]] Case timed(const Problem& problem) const override;
};

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& stencil_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that stencil_kernel() has made. Throws Error(usage) for a malformed
/// spec.
Kernel stencil_kernel_of(std::span<const std::string> spec);

/// Family::launch_bytes.
std::optional<double> stencil_bytes(const NamedLaunch& launch);

}  // namespace jitune::internal
