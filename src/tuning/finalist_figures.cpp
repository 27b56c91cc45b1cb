// SPDX-License-Identifier: Apache-2.0
#include "tuning/finalist_figures.hpp"

#include <numeric>

#include <fmt/format.h>

namespace jitune::internal {

double FinalistFigures::power_w() const {
    const double ns = std::accumulate(launch_ns.begin(), launch_ns.end(), 0.0);
    return std::accumulate(energy_j.begin(), energy_j.end(), 0.0) / ns * 1e9;
}

std::string FinalistFigures::text() const {
    const MeanInterval interval = energy();
    return fmt::format(
        R"({{"energy_j":{:.6g},"energy_low_j":{:.6g},"energy_high_j":{:.6g},"power_w":{:.6g}}})",
        interval.mean, interval.low, interval.high, power_w());
}

}  // namespace jitune::internal
