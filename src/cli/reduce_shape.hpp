// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "families/reduce/reduce_kernel.hpp"

namespace jitune::internal {

/// "all", "rows", "columns", "segments".
std::string_view to_string(ReduceKind kind);

/// Throws Error(usage) that lists the names.
ReduceKind parse_reduce_kind(std::string_view name);

/// The sizes of a sweep without --sizes, as parse_shapes() reads them.
std::string_view default_sizes(ReduceKind kind);

/// One shape: "2^20" for all elements, "1024x65536" for ROWSxCOLUMNS and SEGMENTSxELEMENTS. Throws
/// Error(usage), also for more than 2^40 elements.
detail::ReduceShape parse_shape(ReduceKind kind, std::string_view size);

/// Shapes separated by commas, each once; for ReduceKind::all also ranges, as parse_sizes().
std::vector<detail::ReduceShape> parse_shapes(ReduceKind kind, std::string_view sizes);

/// "2^20" or "2^10x2^16".
std::string size_text(const detail::ReduceShape& shape);

}  // namespace jitune::internal
