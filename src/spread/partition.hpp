// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace jitune::internal {

/// One part of an array: its outputs [begin, end) are made from inputs [first, last).
struct Part {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t first;
    std::int64_t last;
    friend bool operator==(const Part&, const Part&) = default;
};

/// Divides `count` rows into at most `parts` parts, in order, each of at least one row and as even
/// as possible. An output row is made from the input rows up to `halo` rows away that exist.
/// Returns nothing if count is 0. `parts` must be at least 1.
std::vector<Part> partition(std::int64_t count, std::int64_t parts, std::int64_t halo);

}  // namespace jitune::internal
