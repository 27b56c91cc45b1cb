// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/sweep/sweep_family.hpp"

namespace jitune::internal {

/// The arguments that name the problems of a kernel of one's own, as text.
struct KernelProblems {
    std::vector<std::string> sizes;  ///< "n=1000,2^20", "m=64..4096"
    std::vector<std::string> types;  ///< "element=float32"
    std::size_t multiple = 1;        ///< of which the sizes are that apps call with
};

/// Each combination of one of each size's texts and one of each type's names. Throws Error(usage)
/// for what does not fit the template.
SweepPlan kernel_problems(const std::shared_ptr<const Kernel>& kernel,
                          const KernelProblems& problems);

}  // namespace jitune::internal
