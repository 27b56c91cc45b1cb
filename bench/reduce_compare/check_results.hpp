// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "reduce_compare/arena.hpp"
#include "reduce_compare/slices.hpp"

namespace jitune::bench {

/// Whether all results in an arena are what the calls of a cell must give. Waits for the stream.
using ResultCheck = std::function<bool()>;

/// `offsets` of ragged cells are in device memory and must outlive the check, as must the arena.
ResultCheck result_check(const Arena& arena, const Cell& cell, const Slices& slices,
                         const std::int64_t* offsets);

}  // namespace jitune::bench
