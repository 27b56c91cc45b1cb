// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "families/reduce/reduce_layout.hpp"
#include "jitune/element_type.hpp"

namespace jitune::internal {

/// How far a value may be off: the sum of both.
struct Tolerance {
    double absolute = 0;
    double relative = 0;  ///< to the larger magnitude of the two values
};

/// What a reduction of known data must give.
struct Expected {
    ElementType result = ElementType::float64;
    ReduceKind kind = ReduceKind::all;
    std::vector<std::byte> values;  ///< of type `result`
    Tolerance tolerance;
};

/// Empty if `got` is what was expected, else the first difference: "row 17: got 3, expected 4". A
/// NaN is expected for a NaN, either zero for a zero.
std::string compare(const Expected& expected, std::span<const std::byte> got);

/// Of the finite ones among values of a type; 0 where there are none.
double largest_magnitude(ElementType type, std::span<const std::byte> values);

}  // namespace jitune::internal
