// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_layout.hpp"

#include <algorithm>
#include <array>

namespace jitune::internal {

std::string_view unit_of(ReduceKind kind) {
    constexpr std::array<std::string_view, 4> kUnits{"", "row", "column", "segment"};
    return kUnits.at(static_cast<std::size_t>(kind));
}

std::size_t ReduceLayout::elements() const {
    const bool matrix = shape.kind == ReduceKind::rows || shape.kind == ReduceKind::columns;
    return static_cast<std::size_t>(matrix ? shape.outer * shape.inner : shape.inner);
}

std::size_t ReduceLayout::results() const {
    return static_cast<std::size_t>(shape.kind == ReduceKind::columns ? shape.inner : shape.outer);
}

ElementRun ReduceLayout::run(std::size_t result) const {
    const auto outer = static_cast<std::size_t>(shape.outer);
    const auto inner = static_cast<std::size_t>(shape.inner);
    switch (shape.kind) {
        case ReduceKind::columns:
            return {result, inner, outer};
        case ReduceKind::segments:
            return {static_cast<std::size_t>(offsets[result]), 1,
                    static_cast<std::size_t>(offsets[result + 1] - offsets[result])};
        default:
            return {result * inner, 1, inner};
    }
}

std::size_t ReduceLayout::longest() const {
    if (shape.kind != ReduceKind::segments) {
        return run(0).count;
    }
    std::size_t most = 0;
    for (std::size_t result = 0; result < results(); ++result) {
        most = std::max(most, run(result).count);
    }
    return most;
}

ReduceLayout layout_of(ReduceKind kind, std::int64_t outer, std::int64_t inner) {
    return {{kind, outer, inner}, {}};
}

}  // namespace jitune::internal
