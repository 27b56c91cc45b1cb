// SPDX-License-Identifier: Apache-2.0
#include "families/launch_bytes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

#include "template/problem.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

/// The bytes of the types that a launch reads and writes, and its sizes.
struct Launch {
    std::string_view types;
    double element;
    std::span<const std::int64_t> sizes;

    [[nodiscard]] double size(std::size_t place) const { return static_cast<double>(sizes[place]); }
    /// The bytes of the type of this name; those of an element where there is none.
    [[nodiscard]] double type(std::string_view name) const {
        const auto bytes = type_bytes(setting_of(types, name));
        return bytes ? static_cast<double>(*bytes) : element;
    }
    [[nodiscard]] double number(std::string_view name) const {
        const std::string_view text = setting_of(types, name);
        int number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }
};

double reduced(const Launch& launch, double elements, double results) {
    return elements * launch.element + results * launch.type("result");
}

struct KernelRow {
    std::string_view kernel;
    std::size_t sizes;
    double (*bytes)(const Launch& launch);
};

constexpr double kOffsetBytes = 8;

constexpr std::array kKernels{
    KernelRow{"reduce", 1, [](const Launch& one) { return reduced(one, one.size(0), 1); }},
    KernelRow{
        "reduce_rows", 2,
        [](const Launch& one) { return reduced(one, one.size(0) * one.size(1), one.size(0)); }},
    KernelRow{
        "reduce_columns", 2,
        [](const Launch& one) { return reduced(one, one.size(0) * one.size(1), one.size(1)); }},
    KernelRow{"reduce_segments", 2,
              [](const Launch& one) {
                  return reduced(one, one.size(1), one.size(0)) + kOffsetBytes * (one.size(0) + 1);
              }},
    KernelRow{"stencil", 1,
              [](const Launch& one) {
                  const bool valid = setting_of(one.types, "boundary") == "valid";
                  const double lost = valid ? 2 * one.number("radius") : 0;
                  return (2 * one.size(0) - lost) * one.element;
              }},
    KernelRow{"entropy", 2,
              [](const Launch& one) {
                  constexpr double kResult = sizeof(float);
                  return one.size(0) * one.size(1) * (one.element + kResult);
              }},
};

}  // namespace

std::optional<double> launch_bytes(std::string_view kernel, std::string_view types,
                                   std::span<const std::int64_t> sizes) {
    // A custom operation is "reduce:name".
    const std::string_view name = kernel.substr(0, kernel.find(':'));
    const auto* const row = std::find_if(kKernels.begin(), kKernels.end(),
                                         [&](const KernelRow& one) { return one.kernel == name; });
    const auto element = type_bytes(setting_of(types, "element"));
    if (row == kKernels.end() || row->sizes != sizes.size() || !element) {
        return std::nullopt;
    }
    const double bytes = row->bytes({types, static_cast<double>(*element), sizes});
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::optional<double> launch_bytes(const Problem& problem) {
    return launch_bytes(problem.kernel, types_text(problem), problem.sizes);
}

}  // namespace jitune::internal
