// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dispatch/engine.hpp"
#include "jitune/entropy.hpp"

namespace jitune::internal {

/// The built-in kernel for a platform that compiles code. Parsed once.
const Kernel& entropy_kernel(PlatformKind platform);

/// The kernel of a Kernel::spec that this has made: "entropy" and the platform. Throws Error(usage)
/// for any other.
Kernel entropy_kernel_of(std::span<const std::string> spec);

/// Throws Error(usage) for a window, levels or a base that there is not and for bad sizes.
void refuse_bad_entropy(const detail::EntropyRequest& request);

/// What a kernel takes the array for, in the order of its template's `sizes`: one column for one
/// row, where windows have the same elements and lanes have work.
std::array<std::int64_t, 2> sizes_of(const detail::EntropyRequest& request);

/// Bytes that all rows of the input are aligned to if the first is, at most 16. Arrays that differ
/// in it want other kernels, so the key holds it.
std::size_t row_alignment(const detail::EntropyRequest& request);

/// Of sizes above 0.
Problem entropy_problem(const detail::EntropyRequest& request);

/// What the natural entropy is multiplied by for another base.
double scale_of(const Entropy& entropy);

}  // namespace jitune::internal
