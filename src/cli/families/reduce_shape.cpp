// SPDX-License-Identifier: Apache-2.0
#include "cli/families/reduce_shape.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cli/families/sizes.hpp"
#include "families/reduce/reduce_call.hpp"
#include "text/units.hpp"
#include "types/name_table.hpp"

namespace jitune::internal {

namespace {

// 2^26 elements, from wide to narrow.
constexpr std::string_view kMatrices =
    "2^2x2^24,2^6x2^20,2^10x2^16,2^14x2^12,2^16x2^10,2^18x2^8,2^20x2^6,2^22x2^4,2^24x2^2";

struct KindRow {
    ReduceKind value;
    std::string_view name;
    std::string_view sizes;
};
constexpr std::array kKinds{
    KindRow{ReduceKind::all, "all", "2^10..2^28"},
    KindRow{ReduceKind::rows, "rows", kMatrices},
    KindRow{ReduceKind::columns, "columns", kMatrices},
    KindRow{ReduceKind::segments, "segments",
            "2^6x2^26,2^10x2^26,2^14x2^26,2^16x2^26,2^18x2^26,2^20x2^26,2^22x2^26"},
};
constexpr std::string_view kWhat = "a shape";

detail::ReduceShape shape_of(ReduceKind kind, std::int64_t outer, std::int64_t inner) {
    const detail::ReduceShape shape{kind, outer, inner};
    refuse_bad_shape(shape);
    return shape;
}

}  // namespace

std::string_view to_string(ReduceKind kind) {
    return row_of(kKinds, kind, kWhat).name;
}

ReduceKind parse_reduce_kind(std::string_view name) {
    return parse_name(kKinds, name, kWhat);
}

std::string_view default_sizes(ReduceKind kind) {
    return row_of(kKinds, kind, kWhat).sizes;
}

detail::ReduceShape parse_shape(ReduceKind kind, std::string_view size) {
    if (kind == ReduceKind::all) {
        return shape_of(kind, 1, parse_size(size));
    }
    const SizePair pair = parse_size_pair(size);
    return shape_of(kind, pair.outer, pair.inner);
}

std::vector<ShapeSpan> parse_shapes(ReduceKind kind, std::string_view sizes) {
    std::vector<ShapeSpan> shapes;
    if (kind == ReduceKind::all) {
        for (const SizeSpan& span : parse_sizes(sizes)) {
            shapes.push_back({shape_of(kind, 1, span.first), shape_of(kind, 1, span.last)});
        }
        return shapes;
    }
    for (const auto& [first, last] : parse_size_pairs(sizes)) {
        shapes.push_back(
            {shape_of(kind, first.outer, first.inner), shape_of(kind, last.outer, last.inner)});
    }
    return shapes;
}

std::string size_text(const ShapeSpan& span) {
    return span_text(size_text(span.first), size_text(span.last));
}

std::string size_text(const detail::ReduceShape& shape) {
    const std::string inner = size_text(shape.inner);
    return shape.kind == ReduceKind::all ? inner
                                         : fmt::format("{}x{}", size_text(shape.outer), inner);
}

}  // namespace jitune::internal
