// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "placement/placement.hpp"
#include "template/kernel.hpp"

namespace jitune::internal {

class Machine;

/// Family::placed: how a family's calls on host memory are shared out over a machine.
struct PlacedOperation {
    /// The program of the values of `jitune::place_<family><…>`. Throws Error(device) for invalid
    /// values.
    std::shared_ptr<const Program> (*load)(Machine& machine, PlacedValues& values);
    /// The template of the family's placements.
    Kernel (*make_kernel)(Machine& machine);
};

}  // namespace jitune::internal
