// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "jitune/element_type.hpp"

namespace jitune::internal {

/// Writes `count` elements of uint8, int32 or float32 as levels of one byte: what is outside of
/// [0, levels) as the nearest level, a NaN as 0, a fraction rounded, as the host's kernel of the
/// entropy has it.
void write_level_bytes(const void* elements, ElementType type, std::size_t count, int levels,
                       std::uint8_t* to);

}  // namespace jitune::internal
