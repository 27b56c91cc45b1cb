// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "spread/placement.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

class Machine;

/// How a family's calls on host memory are shared out over a machine: Family::placed.
struct PlacedOperation {
    /// The program of the values of `jitune::place_<family><…>`. Throws Error(device) for invalid
    /// values.
    std::shared_ptr<const Program> (*load)(Machine& machine, PlacedValues& values);
    /// The template of the family's placements.
    Kernel (*make_kernel)(Machine& machine);
};

}  // namespace jitune::internal
