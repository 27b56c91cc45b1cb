// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "jitune/element_type.hpp"
#include "space/expression.hpp"
#include "template/fill.hpp"

namespace jitune::internal {

/// The bytes that an array of `count` elements repeats. Random data is shorter than large arrays
/// (a prime, so that no stride meets the same elements in every period) and the same for the same
/// seed: by default floats in [-1, 1], signed integers in [-100, 100], unsigned ones in [0, 100].
/// Throws Error(usage) for a file in `folder` that is of another type or has not `count` elements.
std::vector<std::byte> fill_data(const Fill& fill, ElementType type, std::size_t count,
                                 std::uint64_t seed, const std::filesystem::path& folder);

/// The elements of a .npy file in `folder`. Throws Error(usage) as fill_data does.
std::vector<std::byte> file_data(const std::filesystem::path& folder, const std::string& file,
                                 ElementType type, std::size_t count);

/// The bits of a number as a value of the type, in the low bytes. Throws Error(usage) for what is
/// no number; `what` names it.
std::uint64_t value_bits(ElementType type, const Scalar& value, const std::string& what);

}  // namespace jitune::internal
