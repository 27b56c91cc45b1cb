#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kernel.hpp"
#include "ops/placement.hpp"

namespace jitune {

/// An operation on host memory whose placement is tuned.
struct PlacedOperation {
    std::string_view name;
    /// From the values of the expression `jitune::place_<name><…>`. Throws Error(device) for values
    /// that make no sense.
    std::shared_ptr<const Program> (*load)(Machine& machine,
                                           const std::vector<std::string>& values);
    Kernel (*make_kernel)(Machine& machine);
};

std::span<const PlacedOperation> placed_operations();

}  // namespace jitune
