// SPDX-License-Identifier: Apache-2.0
#include "cli/exploration_text.hpp"

#include <vector>

#include <fmt/format.h>

#include "cli/table.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

std::string outcome_text(const Exploration& one) {
    return one.outcome + (one.reason.empty() ? "" : ": " + one.reason);
}

/// "0.931 to 0.944"
std::string ratio_text(const Exploration& one) {
    return one.ratio_high == 0 ? ""
                               : fmt::format("{:.3f} to {:.3f}", one.ratio_low, one.ratio_high);
}

}  // namespace

std::string explorations_text(std::span<const Exploration> explorations, std::size_t width) {
    std::vector<Table::Cells> rows;
    std::int64_t tries = 0;
    double cost_ns = 0;
    for (const Exploration& one : explorations) {
        tries += one.tries;
        cost_ns += one.cost_ns;
        rows.push_back({one.key.kernel, short_types(one.key.types), one.sizes, one.device_name,
                        fmt::format("{}", one.tries), time_text(one.cost_ns), ratio_text(one),
                        one.configuration, one.winner, one_line(outcome_text(one))});
    }
    if (rows.empty()) {
        return "";
    }
    return fmt::format("\ntried inside calls (JITUNE_EXPLORE): {}, {}\n",
                       tries == 1 ? "1 launch" : fmt::format("{} launches", tries),
                       time_text(cost_ns)) +
           Table::text({{"kernel"},
                        {"types"},
                        {"sizes"},
                        detail("device"),
                        {"tries", Align::right},
                        {"cost", Align::right},
                        {"over the winner", Align::right},
                        detail("tried"),
                        detail("winner"),
                        {"outcome"}},
                       rows, width);
}

}  // namespace jitune::internal
