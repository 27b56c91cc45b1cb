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

/// One shape, or every shape from `first` to `last`.
struct ShapeSpan {
    detail::ReduceShape first;
    detail::ReduceShape last;
    [[nodiscard]] bool is_range() const {
        return first.outer != last.outer || first.inner != last.inner;
    }
};

/// Shapes and ranges of them, as parse_sizes() and parse_size_pairs() read them.
std::vector<ShapeSpan> parse_shapes(ReduceKind kind, std::string_view sizes);

/// "2^20" or "2^10x2^16".
std::string size_text(const detail::ReduceShape& shape);
std::string size_text(const ShapeSpan& span);

}  // namespace jitune::internal
