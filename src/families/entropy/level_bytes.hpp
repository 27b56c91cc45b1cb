// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "jitune/element_type.hpp"

namespace jitune::internal {

/// Writes `count` elements of uint8, int32 or float32 as levels of one byte. An element
/// outside of [0, levels) becomes the nearest level, a NaN 0, and a fraction is rounded, as in the
/// host's entropy kernel.
void write_level_bytes(const void* elements, ElementType type, std::size_t count, int levels,
                       std::uint8_t* to);

}  // namespace jitune::internal
