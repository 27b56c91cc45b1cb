// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "families/reduce/reduce_layout.hpp"
#include "jitune/element_type.hpp"
#include "jitune/reduction.hpp"

namespace jitune::internal {

/// The largest accepted error of a value: the sum of both parts.
struct Tolerance {
    double absolute = 0;
    double relative = 0;  ///< to the larger magnitude of the two values
};

/// The largest relative distance of two neighbouring numbers of a float type of 16 bits. Results
/// may differ that much after rounding, although they hardly differ before. 0 for other types.
constexpr double step_of(ElementType type) {
    return type == ElementType::float16 ? 0x1p-10 : type == ElementType::bfloat16 ? 0x1p-7 : 0;
}

/// The right results of a reduction of known data.
struct Expected {
    ElementType result = ElementType::float64;
    ReduceKind kind = ReduceKind::all;
    std::vector<std::byte> values;  ///< of type `result`
    Tolerance tolerance;
};

/// Empty if `got` is as expected, else the first difference: "row 17: got 3, expected 4". A NaN
/// matches any NaN, a zero either zero.
std::string compare(const Expected& expected, std::span<const std::byte> got);

/// The largest magnitude of the finite values; 0 if there are none.
double largest_magnitude(ElementType type, std::span<const std::byte> values);

/// The types and the operation of a reduction.
struct ReduceTypes {
    ElementType element;
    ReduceOp op;
    ElementType result;
};

/// The factor by which the data of reduce_data.hpp is multiplied, so that float16 results stay in
/// range: means of an element above the least, sums of magnitudes below the largest. A power of 2;
/// 1 for other results.
float trial_scale(const ReduceTypes& types, std::size_t longest);

/// The reduction of an array that repeats `pattern`, a whole number of elements. Integers are
/// combined in wrapping arithmetic, floats in double with compensated sums. Repetitions of the
/// pattern take next to no time. The tolerance fits the data of reduce_data.hpp. Throws
/// Error(usage) for a custom operation, which has no reference.
Expected reduce_reference(const ReduceTypes& types, const ReduceLayout& layout,
                          std::span<const std::byte> pattern);

}  // namespace jitune::internal
