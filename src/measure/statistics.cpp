// SPDX-License-Identifier: Apache-2.0
#include "measure/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// The probability that a 95 % interval misses the median on one side.
constexpr double kMedianTail = 0.025;
/// All of fewer samples lie on one side of the median with a probability above 2 kMedianTail.
constexpr std::size_t kMinSamples = 6;

/// Not empty.
std::vector<double> sorted(std::span<const double> samples_ns) {
    if (samples_ns.empty()) {
        throw Error(ErrorKind::usage, "cannot summarize samples: there is no sample");
    }
    for (const double sample : samples_ns) {
        if (!(std::isfinite(sample) && sample > 0)) {
            throw Error(ErrorKind::usage, "cannot summarize samples: " + std::to_string(sample) +
                                              " ns is not a time; samples are finite and positive");
        }
    }
    std::vector<double> result(samples_ns.begin(), samples_ns.end());
    std::sort(result.begin(), result.end());
    return result;
}

double median_of_sorted(const std::vector<double>& values) {
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double median_absolute_deviation(const std::vector<double>& values, double median) {
    std::vector<double> deviations;
    deviations.reserve(values.size());
    for (const double value : values) {
        deviations.push_back(std::abs(value - median));
    }
    std::sort(deviations.begin(), deviations.end());
    return median_of_sorted(deviations);
}

/// The number of `count` samples to leave out at each end such that the rest spans the median with
/// a probability of 95 %. A sample is below the median with probability 1/2, so it is the largest k
/// with P(at most k heads in `count` coin flips) <= kMedianTail. The sum uses logarithms, because
/// 2^-count underflows.
std::size_t trimmed_samples(std::size_t count) {
    const double n = static_cast<double>(count);
    double log_probability = -n * std::numbers::ln2;
    double sum = std::exp(log_probability);
    std::size_t trimmed = 0;
    while (true) {
        const double k = static_cast<double>(trimmed);
        log_probability += std::log((n - k) / (k + 1));
        sum += std::exp(log_probability);
        if (sum > kMedianTail) {
            return trimmed;
        }
        ++trimmed;
    }
}

// The 97.5 % quantiles of Student's distribution with 1, 2, 3 … degrees of freedom. With more than
// these, the last one is at most 6 % too wide.
constexpr std::array kQuantiles{12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
                                2.365,  2.306, 2.262, 2.228, 2.201, 2.179};

}  // namespace

Summary summarize(std::span<const double> samples_ns) {
    const std::vector<double> values = sorted(samples_ns);
    Summary summary;
    summary.median_ns = median_of_sorted(values);
    summary.noise = median_absolute_deviation(values, summary.median_ns) / summary.median_ns;
    return summary;
}

Interval median_interval(std::span<const double> samples_ns) {
    const std::vector<double> values = sorted(samples_ns);
    const std::size_t trimmed = trimmed_samples(values.size());
    return {median_of_sorted(values), values[trimmed], values[values.size() - 1 - trimmed]};
}

double relative_uncertainty(std::span<const double> samples_ns) {
    return samples_ns.size() < kMinSamples ? 1 : median_interval(samples_ns).uncertainty();
}

Interval mean_interval(std::span<const double> values) {
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
