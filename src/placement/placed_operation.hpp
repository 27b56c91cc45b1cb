// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "placement/placement.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

/// How a family's calls on host memory are shared out over the machine: Family::placed.
struct PlacedOperation {
    /// From the values of the expression `jitune::place_<family><…>`. Throws Error(device) for
    /// values that make no sense.
    std::shared_ptr<const Program> (*load)(Machine& machine,
                                           const std::vector<std::string>& values);
    Kernel (*make_kernel)(Machine& machine);
};

}  // namespace jitune::internal
