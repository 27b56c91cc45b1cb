// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "template/workload.hpp"

namespace jitune::internal {

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

}  // namespace jitune::internal
