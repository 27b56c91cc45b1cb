// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "cli/table.hpp"
#include "cli/tune_objective.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

/// "0.412 J ±0.3 %"
std::string energy_text(const FinalistFigures& figures) {
    const MeanInterval energy = figures.energy();
    const auto [scale, unit] = energy.mean < 1e-3 ? std::pair{1e6, "uJ"}
                               : energy.mean < 1  ? std::pair{1e3, "mJ"}
                                                  : std::pair{1.0, "J"};
    return fmt::format("{:.4g} {} ±{:.1f} %", energy.mean * scale, unit,
                       energy.uncertainty() * 100);
}

bool has_energy(const ObjectiveResult& result) {
    return !result.rows.front().figures.energy_j.empty();
}

Table::Cells cells_of(const ObjectiveResult& result, const ObjectiveResult::Row& row) {
    Table::Cells cells{time_text(row.judged.time_ns)};
    if (has_energy(result)) {
        cells.push_back(energy_text(row.figures));
        cells.push_back(fmt::format("{:.0f} W", row.figures.power_w()));
        cells.push_back(
            fmt::format("{:.4g}", row.figures.energy().mean * row.judged.time_ns * 1e-9));
    }
    for (const KernelTemplate::Metric& metric : row.metrics) {
        cells.push_back(fmt::format("{:.4g}", metric.value));
    }
    cells.push_back(row.is_best_compromise ? "yes" : "");
    cells.push_back(row.judged.configuration);
    return cells;
}

}  // namespace

std::string objective_text(const ObjectiveResult& result) {
    std::vector<Column> columns{{"time", Align::right}};
    if (has_energy(result)) {
        columns.push_back({"energy", Align::right});
        columns.push_back({"power", Align::right});
        columns.push_back({"J s", Align::right});
    }
    for (const KernelTemplate::Metric& metric : result.rows.front().metrics) {
        columns.push_back(
            {metric.unit.empty() ? metric.name : fmt::format("{}, {}", metric.name, metric.unit),
             Align::right});
    }
    columns.push_back({"Pareto"});
    columns.push_back({"configuration"});
    std::vector<Table::Cells> rows;
    for (const ObjectiveResult::Row& row : result.rows) {
        rows.push_back(cells_of(result, row));
    }
    return fmt::format("{}chosen by {}: {}{}\n", Table::text(columns, rows), result.objective.name,
                       result.rows[result.chosen].judged.configuration,
                       result.pinned ? ", pinned: tunings by time do not replace it" : "");
}

Json objective_json(const ObjectiveResult& result) {
    Json finalists = Json::array();
    for (const ObjectiveResult::Row& row : result.rows) {
        Json one{{"configuration", row.judged.configuration},
                 {"median_ns", row.judged.time_ns},
                 {"pareto", row.is_best_compromise},
                 {"metrics", Json::object()}};
        for (const KernelTemplate::Metric& metric : row.metrics) {
            one["metrics"][metric.name] = {{"value", json_number(metric.value)},
                                           {"unit", metric.unit}};
        }
        if (!row.figures.energy_j.empty()) {
            const MeanInterval energy = row.figures.energy();
            one["energy_j"] = energy.mean;
            one["energy_low_j"] = energy.low;
            one["energy_high_j"] = energy.high;
            one["power_w"] = row.figures.power_w();
            one["windows"] = row.figures.energy_j.size();
        }
        finalists.push_back(std::move(one));
    }
    return {{"objective", result.objective.name},
            {"chosen", result.rows[result.chosen].judged.configuration},
            {"pinned", result.pinned},
            {"finalists", finalists}};
}

}  // namespace jitune::internal
