// SPDX-License-Identifier: Apache-2.0
#include "range/cost_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace jitune::internal {

namespace {

struct Neighbour {
    const Sizes* sizes;
    double log_value;
    double octaves;
};

/// Solves the equations a x = b for x[0], by Gauss's elimination from the last row up. `a` is
/// symmetric and positive definite.
double first_unknown(std::vector<std::vector<double>> a, std::vector<double> b) {
    for (std::size_t row = b.size() - 1; row > 0; --row) {
        for (std::size_t other = 0; other < row; ++other) {
            const double factor = a[other][row] / a[row][row];
            for (std::size_t i = 0; i <= row; ++i) {
                a[other][i] -= factor * a[row][i];
            }
            b[other] -= factor * b[row];
        }
    }
    return b[0] / a[0][0];
}

/// The height at `sizes` of the plane through the neighbours.
double height_of_plane(const std::vector<Neighbour>& neighbours, const Sizes& sizes) {
    constexpr double kCore = 0.5;      // octaves within which neighbours weigh alike
    constexpr double kFlatter = 1e-6;  // a slope that the neighbours do not determine is zero
    const std::size_t unknowns = sizes.size() + 1;
    std::vector<std::vector<double>> a(unknowns, std::vector<double>(unknowns));
    std::vector<double> b(unknowns);
    std::vector<double> x(unknowns, 1);
    for (const Neighbour& one : neighbours) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            x[i + 1] =
                std::log2(static_cast<double>((*one.sizes)[i]) / static_cast<double>(sizes[i]));
        }
        const double weight = std::pow(kCore * kCore + one.octaves * one.octaves, -2);
        for (std::size_t i = 0; i < unknowns; ++i) {
            for (std::size_t k = 0; k < unknowns; ++k) {
                a[i][k] += weight * x[i] * x[k];
            }
            b[i] += weight * x[i] * one.log_value;
        }
    }
    for (std::size_t i = 1; i < unknowns; ++i) {
        a[i][i] += kFlatter * a[0][0];
    }
    return first_unknown(std::move(a), std::move(b));
}

/// Leaves out neighbours with another between them and `sizes`, and the furthest of many.
std::vector<Neighbour> around(const Sizes& sizes, std::vector<Neighbour> all) {
    constexpr std::size_t kNearest = 48;  // those behind are seldom around
    std::stable_sort(all.begin(), all.end(), [](const Neighbour& one, const Neighbour& other) {
        return one.octaves < other.octaves;
    });
    std::vector<Neighbour> found;
    for (const Neighbour& one : std::span(all).first(std::min(all.size(), kNearest))) {
        if (std::none_of(found.begin(), found.end(), [&](const Neighbour& nearer) {
                return lies_between(*nearer.sizes, *one.sizes, sizes);
            })) {
            found.push_back(one);
        }
    }
    return found;
}

/// The time of a configuration at a probe; 0: none.
double time_at(const CostTable& table, const CostTable::Probe& probe,
               std::optional<std::size_t> configuration) {
    const bool is_timed = configuration && std::isfinite(table.loss(probe, *configuration));
    return is_timed ? probe.timings[*configuration].ns : 0;
}

}  // namespace

std::optional<CostEstimate> estimate(
    const CostTable& table, const Sizes& sizes,
    const std::function<double(const CostTable::Probe&)>& value_of) {
    std::vector<Neighbour> all;
    for (const CostTable::Probe& probe : table.probes()) {
        if (const double value = value_of(probe); value > 0) {
            const double octaves = octaves_between(probe.sizes, sizes);
            if (octaves == 0) {
                return CostEstimate{value, 0};
            }
            all.push_back({&probe.sizes, std::log(value), octaves});
        }
    }
    if (all.empty()) {
        return std::nullopt;
    }
    const std::vector<Neighbour> neighbours = around(sizes, std::move(all));
    const auto [least, greatest] = std::minmax_element(
        neighbours.begin(), neighbours.end(), [](const Neighbour& one, const Neighbour& other) {
            return one.log_value < other.log_value;
        });
    const double height = height_of_plane(neighbours, sizes);
    return CostEstimate{std::exp(std::clamp(height, least->log_value, greatest->log_value)),
                        neighbours.front().octaves};
}

std::optional<CostEstimate> estimated_time(const CostTable& table, const std::string& configuration,
                                           const Sizes& sizes) {
    const auto number = table.find(configuration);
    return estimate(table, sizes,
                    [&](const CostTable::Probe& probe) { return time_at(table, probe, number); });
}

std::optional<CostEstimate> estimated_ratio(const CostTable& table,
                                            const std::string& configuration,
                                            const std::string& other, const Sizes& sizes) {
    const auto number = table.find(configuration);
    const auto base = table.find(other);
    return estimate(table, sizes, [&](const CostTable::Probe& probe) {
        const double over = time_at(table, probe, base);
        return over > 0 ? time_at(table, probe, number) / over : 0;
    });
}

std::optional<CostEstimate> estimated_loss(const CostTable& table, std::size_t configuration,
                                           const Sizes& sizes) {
    return estimate(table, sizes, [&](const CostTable::Probe& probe) {
        const double its = table.loss(probe, configuration);
        return std::isfinite(its) ? its : 0;
    });
}

}  // namespace jitune::internal
