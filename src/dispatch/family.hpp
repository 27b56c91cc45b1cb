// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "template/kernel.hpp"

namespace jitune::internal {

struct PlacedOperation;  // placement/placed_operation.hpp

/// A family of kernels: one row of the table in families/families.cpp.
struct Family {
    std::string_view name;  ///< the first field of its kernels' specs
    /// Makes a kernel from its Kernel::spec, in a worker. Throws Error(usage) for a malformed spec.
    Kernel (*make_kernel)(std::span<const std::string> spec);
    /// How its calls on host memory are shared out over a machine; null: they are not.
    const PlacedOperation* placed = nullptr;
};

/// The kernel of a spec whose family is one of `families`. Throws Error(usage) for any other spec.
Kernel make_kernel(std::span<const Family> families, std::span<const std::string> spec);

}  // namespace jitune::internal
