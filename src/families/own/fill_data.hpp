// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "jitune/element_type.hpp"
#include "space/expression.hpp"
#include "template/fill.hpp"
#include "template/front_matter.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// One period of the data of an array of `count` elements: the array repeats these bytes. The
/// period of random data is shorter than large arrays. Its length is prime, so that no stride meets
/// the same elements in every period. One seed always gives the same data: by default floats in
/// [-1, 1], signed integers in [-100, 100], unsigned ones in [0, 100]. Throws Error(usage) if a
/// file in `folder` has another type or another number of elements.
std::vector<std::byte> fill_data(const Fill& fill, ElementType type, std::size_t count,
                                 std::uint64_t seed, const std::filesystem::path& folder);

/// The elements of a .npy file in `folder`. Throws Error(usage) as fill_data does.
std::vector<std::byte> file_data(const std::filesystem::path& folder, const std::string& file,
                                 ElementType type, std::size_t count);

/// The bits of a number as a value of the type, in the low bytes. Throws Error(usage) unless the
/// value is a number; `name` names the value in the message.
std::uint64_t value_bits(ElementType type, const Scalar& value, const std::string& name);

/// The name of a file of the front matter, with the problem's sizes and types in place of their
/// names in braces: "x_{n}.npy".
std::string named_file(const std::string& text, const FrontMatter& front, const Problem& problem);

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
