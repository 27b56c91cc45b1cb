// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "jitune/element_type.hpp"

namespace jitune::internal {

/// An output of a kernel, and the tolerance of its elements.
struct OutputSpec {
    std::string name;
    ElementType type = ElementType::float32;
    double tolerance = 0;  ///< relative
};

/// The tolerance of an output whose template names none: 0 for integers, 1e-10 for float64, 1e-4
/// for float32, 1e-2 for 16-bit floats.
double default_tolerance(ElementType type);

/// Empty if |got - want| <= tolerance * (|want| + rms of want) for every element, else the first
/// difference: "c[17]: got 3, expected 4". The root mean square enters because a small element may
/// be the difference of large terms. A NaN matches a NaN alone. Both spans have the same length.
std::string compare_output(const OutputSpec& output, std::span<const std::byte> want,
                           std::span<const std::byte> got);

}  // namespace jitune::internal
