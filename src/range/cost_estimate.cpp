// SPDX-License-Identifier: Apache-2.0
#include "range/cost_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace jitune::internal {

namespace {

struct Neighbour {
    const Sizes* sizes;
    double value;
    double octaves;
};

/// Whether `sizes` lies between the two, in every dimension.
bool lies_between(const Sizes& sizes, const Sizes& left, const Sizes& right) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto [low, high] = std::minmax(left[i], right[i]);
        if (sizes[i] < low || sizes[i] > high) {
            return false;
        }
    }
    return true;
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
            all.push_back({&probe.sizes, value, octaves_between(probe.sizes, sizes)});
        }
    }
    double weights = 0;
    double sum = 0;
    double nearest = 0;
    for (const Neighbour& one : all) {
        if (one.octaves == 0) {
            return CostEstimate{one.value, 0};
        }
        const bool is_hidden = std::any_of(all.begin(), all.end(), [&](const Neighbour& other) {
            return other.sizes != one.sizes && lies_between(*other.sizes, *one.sizes, sizes);
        });
        if (!is_hidden) {
            weights += 1 / one.octaves;
            sum += std::log(one.value) / one.octaves;
            nearest = nearest == 0 ? one.octaves : std::min(nearest, one.octaves);
        }
    }
    if (weights == 0) {
        return std::nullopt;
    }
    return CostEstimate{std::exp(sum / weights), nearest};
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

}  // namespace jitune::internal
