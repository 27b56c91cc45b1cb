// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "jitune/reduction.hpp"

namespace jitune::bench {

enum class Shape { flat, rows, columns, segments, skewed, hoarded };

/// "flat", "rows", "columns"; "segments" of alike lengths, "skewed": of very different
/// ones, "hoarded": one holds most of the elements.
std::string_view to_string(Shape shape);

/// What both sides compute.
struct Problem {
    ElementType element = ElementType::float32;
    ReduceOp op = ReduceOp::sum;  ///< custom is log(sum(exp(x)))
    Shape shape = Shape::flat;
    std::size_t outer = 1;  ///< rows or segments; 1 for flat
    std::size_t inner = 0;  ///< columns; of segments the mean length

    [[nodiscard]] std::size_t elements() const { return outer * inner; }
    [[nodiscard]] std::size_t results() const { return shape == Shape::columns ? inner : outer; }
    [[nodiscard]] bool ragged() const { return shape >= Shape::segments; }
    /// Read and written.
    [[nodiscard]] double bytes() const;
};

/// "log_sum_exp" for custom, else jitune's name.
std::string_view op_name(ReduceOp op);

/// The type that `op` answers in for elements of this type where the caller names none.
ElementType result_type(ElementType element, ReduceOp op);

/// "2^20", "2^20+7", "1000".
std::string size_text(std::size_t size);

}  // namespace jitune::bench
