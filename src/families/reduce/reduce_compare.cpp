// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "types/element_visit.hpp"

namespace jitune::internal {

namespace {

template <class V>
bool agree(V want, V got, const Tolerance& tolerance) {
    if (want == got || (want != want && got != got)) {
        return true;
    }
    const auto a = static_cast<double>(want);
    const auto b = static_cast<double>(got);
    const double allowed =
        tolerance.absolute + tolerance.relative * std::max(std::abs(a), std::abs(b));
    return std::isfinite(allowed) && allowed > 0 && std::abs(a - b) <= allowed;
}

}  // namespace

std::string compare(const Expected& expected, std::span<const std::byte> got) {
    const std::span<const std::byte> want = expected.values;
    if (got.size() == want.size() && std::memcmp(got.data(), want.data(), got.size()) == 0) {
        return {};  // the common case, for many results of many candidates
    }
    return visit_element(expected.result, [&]<class T>(T) -> std::string {
        for (std::size_t i = 0; i < want.size() / sizeof(T); ++i) {
            const auto a = readable_element<T>(want, i);
            const auto b = readable_element<T>(got, i);
            if (!agree(a, b, expected.tolerance)) {
                const std::string_view unit = unit_of(expected.kind);
                const std::string where = unit.empty() ? "" : fmt::format("{} {}: ", unit, i);
                return fmt::format("{}got {}, expected {}", where, b, a);
            }
        }
        return {};
    });
}

double largest_magnitude(ElementType type, std::span<const std::byte> values) {
    return visit_element(type, [&]<class T>(T) {
        double largest = 0;
        for (std::size_t i = 0; i < values.size() / sizeof(T); ++i) {
            const double magnitude = std::abs(static_cast<double>(readable_element<T>(values, i)));
            if (std::isfinite(magnitude)) {
                largest = std::max(largest, magnitude);
            }
        }
        return largest;
    });
}

}  // namespace jitune::internal
