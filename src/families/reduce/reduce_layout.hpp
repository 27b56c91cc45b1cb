// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "jitune/reduce.hpp"

namespace jitune::internal {

using ReduceKind = detail::ReduceShape::Kind;

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
    std::vector<std::int64_t> offsets;  ///< of segments: the begin of each, and the end of the last

    [[nodiscard]] std::size_t elements() const;
    [[nodiscard]] std::size_t results() const;
    [[nodiscard]] ElementRun run(std::size_t result) const;
    /// The largest number of elements of one result.
    [[nodiscard]] std::size_t longest() const;
};

/// The layout of a shape that needs no offsets.
ReduceLayout layout_of(ReduceKind kind, std::int64_t outer, std::int64_t inner);

}  // namespace jitune::internal
