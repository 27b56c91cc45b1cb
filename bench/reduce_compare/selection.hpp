// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reduce_compare/cell.hpp"

namespace jitune::bench {

/// What the command line asks for. Where types, operations and sizes are all empty, the standard
/// selection is meant.
struct Request {
    std::vector<ElementType> types;
    std::vector<ReduceOp> ops;
    std::vector<std::size_t> sizes;  ///< of flat problems
    std::string shapes = "all";      ///< all, flat, rows, columns or segments
    bool quick = false;              ///< fewer sizes
};

/// The cells to measure, those that matter most first. The standard selection is: sums of int32,
/// float32 and float16 at every power of two, also warm, odd and misaligned; coarser grids of
/// the other types and of the other operations; rows, columns and ragged segments of 2^26 float32.
std::vector<Cell> selected_cells(const Request& request);

/// "2^10..2^30", "2^20+7", by comma; a range multiplies by 2^step. Throws Error(usage).
std::vector<std::size_t> parse_sizes(std::string_view text, int step);

}  // namespace jitune::bench
