// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "jitune/reduce.hpp"

namespace jitune::internal {

using ReduceKind = detail::ReduceShape::Kind;

/// The elements of an array of a good shape.
inline std::size_t value_count(const detail::ReduceShape& shape) {
    const auto inner = static_cast<std::size_t>(shape.inner);
    const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
    return matrix ? inner * static_cast<std::size_t>(shape.outer) : inner;
}

/// The number of its results.
inline std::size_t result_count(const detail::ReduceShape& shape) {
    return static_cast<std::size_t>(shape.kind == ReduceKind::columns ? shape.inner : shape.outer);
}

/// The unit that one result belongs to: "row"; empty for the shape with one result.
std::string_view unit_of(ReduceKind kind);

/// The elements that one result combines: first, first + stride …
struct ElementRun {
    std::size_t first = 0;
    std::size_t stride = 1;
    std::size_t count = 0;

    [[nodiscard]] std::size_t at(std::size_t k) const { return first + k * stride; }
};

/// Which elements of an array each result combines.
struct ReduceLayout {
    detail::ReduceShape shape;
    /// Of segments: the begin of each, and the end of the last.
    std::vector<std::int64_t> offsets = {};

    [[nodiscard]] std::size_t elements() const { return value_count(shape); }
    [[nodiscard]] std::size_t results() const { return result_count(shape); }
    [[nodiscard]] ElementRun run(std::size_t result) const;
    /// The largest number of elements of one result.
    [[nodiscard]] std::size_t longest() const;
};

/// The layout of a shape that needs no offsets.
inline ReduceLayout layout_of(ReduceKind kind, std::int64_t outer, std::int64_t inner) {
    return {{kind, outer, inner}};
}

/// How n elements are divided into segments.
enum class Raggedness : std::uint8_t {
    even,          ///< lengths of 0 to about 2n / segments, some of them 0
    mostly_empty,  ///< fifteen of sixteen segments have no element
    one_huge,      ///< one in the middle; the others have 0 to 3
    last_only,     ///< all elements are in the last
    mixed,         ///< every other segment has a length of about the mean; of the others, which
                   ///< have half of the elements, most are short and few are very long
};

/// The begin of each segment, and n: segments + 1 offsets that do not decrease.
std::vector<std::int64_t> segment_offsets(std::int64_t segments, std::int64_t n,
                                          Raggedness raggedness, std::mt19937_64& random);

}  // namespace jitune::internal
