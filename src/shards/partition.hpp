// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace jitune::internal {

/// Outputs [begin, end) of one part, which are made from inputs [first, last).
struct Part {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t first;
    std::int64_t last;
    friend bool operator==(const Part&, const Part&) = default;
};

/// `count` rows in at most `parts` parts in order, each of at least one row, as even as can be. A
/// row is made from its neighbours up to `halo` rows away, where there are any. Nothing where there
/// are no rows; parts are at least 1.
std::vector<Part> partition(std::int64_t count, std::int64_t parts, std::int64_t halo);

}  // namespace jitune::internal
