// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reduce_compare/problem.hpp"

namespace jitune::bench {

/// outer + 1 offsets of ragged segments over all elements, the same in every run. Shape::segments:
/// lengths from 0 to twice the mean. Shape::skewed: most are short, some hold a large part of all.
/// Shape::hoarded: the one in the middle holds nine tenths of all, fifteen of sixteen are empty.
std::vector<std::int64_t> ragged_offsets(const Problem& problem);

}  // namespace jitune::bench
