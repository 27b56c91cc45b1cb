// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "template/workload.hpp"

namespace jitune::internal {

/// Data for the windowed entropy. The sizes of a problem are {rows, columns}; its inputs the levels
/// and the scale, which is 1; its types "element", "window" and "levels". Stateless: safe from any
/// thread.
class EntropyWorkload : public Workload {
public:
    /// Noise, flat areas, one level, elements that are no levels; windows that reach over all
    /// borders at once.
    [[nodiscard]] std::vector<Case> checks(const Problem& problem) const override;
    /// Noise, all levels alike.
    [[nodiscard]] Case timed(const Problem& problem) const override;
};

}  // namespace jitune::internal
