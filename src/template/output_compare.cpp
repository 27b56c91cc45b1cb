// SPDX-License-Identifier: Apache-2.0
#include "template/output_compare.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

/// The root mean square of the finite values.
template <class T>
double root_mean_square(std::span<const std::byte> values) {
    const std::size_t count = values.size() / sizeof(T);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(readable_element<T>(values, i));
        sum += std::isfinite(value) ? value * value : 0;
    }
    return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

}  // namespace

double default_tolerance(ElementType type) {
    switch (type) {
        case ElementType::float64:
            return 1e-10;
        case ElementType::float32:
            return 1e-4;
        case ElementType::float16:
        case ElementType::bfloat16:
            return 1e-2;
        default:
            return 0;
    }
}

std::string compare_output(const OutputSpec& output, std::span<const std::byte> want,
                           std::span<const std::byte> got) {
    if (std::memcmp(want.data(), got.data(), want.size()) == 0) {
        return {};
    }
    return visit_element(output.type, [&]<class T>(T) -> std::string {
        const double floor = output.tolerance > 0 ? root_mean_square<T>(want) : 0;
        for (std::size_t i = 0; i < want.size() / sizeof(T); ++i) {
            const auto a = readable_element<T>(want, i);
            const auto b = readable_element<T>(got, i);
            if (a == b || (a != a && b != b)) {
                continue;
            }
            const auto wanted = static_cast<double>(a);
            const double off = std::abs(static_cast<double>(b) - wanted);
            if (!(off > 0 && off <= output.tolerance * (std::abs(wanted) + floor) &&
                  std::isfinite(wanted))) {
                return fmt::format("{}[{}]: got {}, expected {}", output.name, i, b, a);
            }
        }
        return {};
    });
}

}  // namespace jitune::internal
