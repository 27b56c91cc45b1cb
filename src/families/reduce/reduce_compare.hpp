// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "families/reduce/reduce_layout.hpp"
#include "jitune/element_type.hpp"

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

}  // namespace jitune::internal
