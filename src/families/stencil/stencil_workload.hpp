// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "families/stencil/stencil_problem.hpp"
#include "template/workload.hpp"

namespace jitune::internal {

/// Data for stencils whose outputs do not depend on the order of additions: floats and weights are
/// small integers with exact sums, so that the right bits are known. Problems are those of
/// stencil_problem(); the inputs of a case are the elements and the weights. If a problem's
/// alignment is below 16, its input is misaligned by one element. Stateless and thread-safe.
class StencilWorkload : public Workload {
public:
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    [[nodiscard]] Case timed(const Problem& problem) const override;
};

}  // namespace jitune::internal
