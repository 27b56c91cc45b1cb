// SPDX-License-Identifier: Apache-2.0
#include "measure/mean_interval.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

// The 97.5 % quantiles of Student's distribution with 1, 2, 3 … degrees of freedom. With more than
// these, the last one is at most 6 % too wide.
constexpr std::array kQuantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                                2.365,  2.306, 2.262, 2.228, 2.201, 2.179};

}  // namespace

MeanInterval mean_interval(std::span<const double> values) {
    if (values.size() < 2) {
        throw Error(ErrorKind::usage, "mean_interval: two values are needed for an interval");
    }
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    const double squares = std::accumulate(
        values.begin(), values.end(), 0.0,
        [&](double sum, double value) { return sum + (value - mean) * (value - mean); });
    const double quantile = kQuantiles.at(std::min(values.size() - 1, kQuantiles.size()) - 1);
    const double half = quantile * std::sqrt(squares / (count - 1) / count);
    return {mean, mean - half, mean + half};
}

}  // namespace jitune::internal
