#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/kernel.hpp"

namespace jitune {

/// How a worker makes the kernels whose spec begins with `name`.
struct KernelEntry {
    std::string_view name;
    /// Of the whole spec. Throws Error(usage) for one that is none.
    Kernel (*make)(std::span<const std::string> spec);
};

/// Every kind of kernel that jitune itself has.
std::span<const KernelEntry> kernel_table();

/// Throws Error(usage) for a spec that no row of `table` makes a kernel from.
Kernel make_kernel(std::span<const KernelEntry> table, std::span<const std::string> spec);

}  // namespace jitune
