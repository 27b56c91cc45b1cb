// SPDX-License-Identifier: Apache-2.0
// growing_vector: estimates integrals over a cube by Monte Carlo with a vector of values that grows
// by a quarter until the mean is sure to one part in a thousand, and prints the reductions of it as
// a trace for worklist_gain. After each growth the whole vector is reduced, to the mean and the sum
// of squares. Ends with an error where an integral is wrong.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <vector>

#include "reduction_log.hpp"

namespace {

struct Point {
    double x, y, z;
};

struct Integral {
    double value;
    double (*of)(const Point& at);
};

/// The integral of exp(-a x^2) from 0 to 1.
double bell(double a) {
    return std::sqrt(std::acos(-1) / a) / 2 * std::erf(std::sqrt(a));
}

/// The mean of the integrand at random points, of which there are enough for a relative error of
/// a thousandth, or as many as fit.
double estimate(const Integral& integral, std::mt19937_64& random,
                jitune::bench::ReductionLog& log) {
    constexpr std::size_t kFirst = 10'000, kMost = 20'000'000;
    std::uniform_real_distribution<double> place(0, 1);
    std::vector<float> values;
    double mean = 0;
    for (std::size_t n = kFirst; n <= kMost; n += n / 4) {
        while (values.size() < n) {
            const Point at{place(random), place(random), place(random)};
            values.push_back(static_cast<float>(integral.of(at)));
        }
        double sum = 0;
        double squares = 0;
        for (const float value : values) {
            sum += value;
            squares += static_cast<double>(value) * value;
        }
        log.all(n, "float32", "mean");
        log.all(n, "float32", "sum_of_squares");
        const auto count = static_cast<double>(n);
        mean = sum / count;
        const double deviation = std::sqrt(squares / count - mean * mean);
        if (deviation < 1e-3 * mean * std::sqrt(count)) {
            break;
        }
    }
    return mean;
}

}  // namespace

int main() {
    const std::array integrals{
        Integral{1.5, [](const Point& at) { return at.x + at.y + at.z; }},
        Integral{std::pow(2 / std::acos(-1), 3),
                 [](const Point& at) {
                     const double half = std::acos(-1) / 2;
                     return std::cos(half * at.x) * std::cos(half * at.y) * std::cos(half * at.z);
                 }},
        Integral{std::pow(bell(4), 3),
                 [](const Point& at) {
                     return std::exp(-4 * (at.x * at.x + at.y * at.y + at.z * at.z));
                 }},
        Integral{std::pow(bell(16), 3),
                 [](const Point& at) {
                     return std::exp(-16 * (at.x * at.x + at.y * at.y + at.z * at.z));
                 }},
        Integral{std::acos(-1) / 6,
                 [](const Point& at) {
                     return at.x * at.x + at.y * at.y + at.z * at.z < 1 ? 1.0 : 0.0;
                 }},
    };
    std::mt19937_64 random(1);
    jitune::bench::ReductionLog log("bench/traces/growing_vector.cpp");
    for (const Integral& integral : integrals) {
        const double found = estimate(integral, random, log);
        constexpr double kTolerance = 5e-3;  // five standard deviations
        if (std::abs(found / integral.value - 1) > kTolerance) {
            std::fprintf(stderr, "%g instead of %g\n", found, integral.value);
            return 1;
        }
    }
    log.print();
    return 0;
}
