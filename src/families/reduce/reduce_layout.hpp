// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace jitune::internal
