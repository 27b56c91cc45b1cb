#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "jitune/stencil.hpp"

namespace jitune {

inline constexpr Boundary kBoundaries[] = {Boundary::valid, Boundary::zero, Boundary::clamp,
                                           Boundary::wrap};

/// Random floats in [-1, 1] with full mantissas, integers over their whole range.
template <class T>
std::vector<T> stencil_inputs(std::int64_t n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(n));
    for (T& value : values) {
        value = std::is_integral_v<T> ? static_cast<T>(random()) : static_cast<T>(real(random));
    }
    return values;
}

/// Weights of either sign; integers for integers.
template <class T>
std::vector<double> stencil_weights(int radius) {
    std::vector<double> weights;
    for (int j = 0; j <= 2 * radius; ++j) {
        weights.push_back(std::is_integral_v<T> ? j * j - 7.0 * j + 1
                                                : 1.0 / (1 + j) - 0.3 * (j % 3));
    }
    return weights;
}

/// An independent oracle: input `index` by the boundary's definition, one element at a time.
template <class T>
double input_at(const std::vector<T>& input, std::int64_t index, Boundary boundary) {
    const auto n = static_cast<std::int64_t>(input.size());
    if (index < 0 || index >= n) {
        if (boundary == Boundary::zero) {
            return 0;
        }
        while (boundary == Boundary::wrap && index < 0) {
            index += n;
        }
        while (boundary == Boundary::wrap && index >= n) {
            index -= n;
        }
        index = std::clamp<std::int64_t>(index, 0, n - 1);
    }
    return static_cast<double>(input[static_cast<std::size_t>(index)]);
}

/// How far the sum of `count` products in type T may be from the exact one: each is rounded in at
/// most `count` additions, once as a product and once in its weight; a mean multiplies by a rounded
/// reciprocal in their place. So (count + 2) u times the sum of magnitudes, where u is half of
/// epsilon (N. Higham, Accuracy and Stability of Numerical Algorithms, 3.1; 2 % for higher powers
/// of u and the rounding of the oracle).
template <class T>
double stencil_bound(int count, double magnitudes) {
    constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2;
    return 1.02 * (count + 2) * kUnit * magnitudes + std::numeric_limits<T>::denorm_min();
}

/// Empty where `got` are the outputs for `input`, floats within their rounding.
template <class T>
std::string judge_stencil(const std::vector<T>& input, const Stencil& stencil,
                          const std::vector<T>& got) {
    const auto n = static_cast<std::int64_t>(input.size());
    const std::int64_t reach = stencil.boundary == Boundary::valid ? 0 : stencil.radius;
    const int count = 2 * stencil.radius + 1;
    if (static_cast<std::int64_t>(got.size()) != stencil_outputs(n, stencil)) {
        return "wrong number of outputs";
    }
    for (std::size_t o = 0; o < got.size(); ++o) {
        long double sum = 0;
        long double magnitudes = 0;
        std::int64_t whole = 0;
        for (int j = 0; j < count; ++j) {
            const double weight =
                stencil.weights.empty() ? 1 : stencil.weights[static_cast<std::size_t>(j)];
            const double value =
                input_at(input, static_cast<std::int64_t>(o) + j - reach, stencil.boundary);
            sum += static_cast<long double>(weight) * value;
            magnitudes += std::abs(static_cast<long double>(weight) * value);
            whole += static_cast<std::int64_t>(weight) *
                     static_cast<std::int64_t>(std::is_integral_v<T> ? value : 0);
        }
        if constexpr (std::is_integral_v<T>) {
            const T wanted = static_cast<T>(stencil.mean ? whole / count : whole);
            if (got[o] != wanted) {
                return fmt::format("output {} is {}, expected {}", o, got[o], wanted);
            }
        } else {
            const long double scale = stencil.mean ? 1.0L / count : 1.0L;
            const auto wanted = static_cast<double>(sum * scale);
            const double bound = stencil_bound<T>(count, static_cast<double>(magnitudes * scale));
            if (!(std::abs(got[o] - wanted) <= bound)) {
                return fmt::format("output {} is {}, expected {} within {}", o, got[o], wanted,
                                   bound);
            }
        }
    }
    return {};
}

/// A word for messages.
inline std::string stencil_text(const Stencil& stencil, std::int64_t n) {
    return fmt::format("{} radius={} n={}{}{}", to_string(stencil.boundary), stencil.radius, n,
                       stencil.mean ? " mean" : "", stencil.weights.empty() ? "" : " weights");
}

}  // namespace jitune
