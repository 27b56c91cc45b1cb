// SPDX-License-Identifier: Apache-2.0
#include "tuning/finals/finalist_figures.hpp"

#include <numeric>

#include <fmt/format.h>

namespace jitune::internal {

MeanInterval FinalistFigures::energy_delay() const {
    std::vector<double> products;
    for (std::size_t i = 0; i < energy_j.size(); ++i) {
        products.push_back(energy_j[i] * launch_ns[i] * 1e-9);
    }
    return mean_interval(products);
}

double FinalistFigures::power_w() const {
    const double ns = std::accumulate(launch_ns.begin(), launch_ns.end(), 0.0);
    return std::accumulate(energy_j.begin(), energy_j.end(), 0.0) / ns * 1e9;
}

std::string FinalistFigures::text() const {
    std::string text;
    const auto add = [&](const std::string& name, double value) {
        text += fmt::format("{}\"{}\":{:.6g}", text.empty() ? "{" : ",", name, value);
    };
    if (!energy_j.empty()) {
        const MeanInterval interval = energy();
        add("energy_j", interval.mean);
        add("energy_low_j", interval.low);
        add("energy_high_j", interval.high);
        add("power_w", power_w());
    }
    for (const CounterValue& counter : counters) {
        add(counter.name, counter.value);
    }
    return text.empty() ? text : text + "}";
}

}  // namespace jitune::internal
