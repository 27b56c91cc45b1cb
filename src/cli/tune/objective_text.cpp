// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "cli/db/record_json.hpp"
#include "cli/formats/table.hpp"
#include "cli/tune/tune_objective.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

/// "0.412 J ±0.3 %"
std::string energy_text(const FinalistFigures& figures) {
    const Interval energy = figures.energy();
    const auto [scale, unit] = energy.value < 1e-3 ? std::pair{1e6, "uJ"}
                               : energy.value < 1  ? std::pair{1e3, "mJ"}
                                                   : std::pair{1.0, "J"};
    return fmt::format("{:.4g} {} ±{:.1f} %", energy.value * scale, unit,
                       energy.uncertainty() * 100);
}

bool has_energy(const ObjectiveResult& result) {
    return !result.rows.front().figures.energy_j.empty();
}

/// The metrics of all finalists: some may have no value for one of them.
std::vector<KernelTemplate::Metric> metrics_of(const ObjectiveResult& result) {
    std::vector<KernelTemplate::Metric> all;
    for (const ObjectiveResult::Row& row : result.rows) {
        for (const KernelTemplate::Metric& metric : row.metrics) {
            if (std::none_of(all.begin(), all.end(),
                             [&](const auto& known) { return known.name == metric.name; })) {
                all.push_back(metric);
            }
        }
    }
    return all;
}

std::string metric_text(const ObjectiveResult::Row& row, const std::string& name) {
    for (const KernelTemplate::Metric& metric : row.metrics) {
        if (metric.name == name) {
            return fmt::format("{:.4g}", metric.value);
        }
    }
    return "";
}

bool chooses(const ObjectiveResult& result) {
    return result.objective.kind != Objective::Kind::time;
}

Table::Cells cells_of(const ObjectiveResult& result, std::size_t number) {
    const ObjectiveResult::Row& row = result.rows[number];
    Table::Cells cells{fmt::format("{}", number + 1), time_text(row.judged.time_ns)};
    if (has_energy(result)) {
        cells.push_back(energy_text(row.figures));
        cells.push_back(fmt::format("{:.0f} W", row.figures.power_w()));
        cells.push_back(fmt::format("{:.4g}", row.figures.energy_delay().value));
    }
    for (const KernelTemplate::Metric& metric : metrics_of(result)) {
        cells.push_back(metric_text(row, metric.name));
    }
    if (chooses(result)) {
        cells.emplace_back(row.is_best_compromise ? "yes" : "");
    }
    cells.push_back(row.judged.configuration);
    return cells;
}

/// A row for each counter, a column for each finalist in the order of the table above.
std::string counters_text(const ObjectiveResult& result) {
    std::vector<Column> columns{{"counter"}};
    std::vector<Table::Cells> rows;
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
        columns.push_back({fmt::format("{}", i + 1), Align::right});
        for (const CounterValue& counter : result.rows[i].figures.counters) {
            const std::string name = fmt::format("{}, {}", counter.name, counter.unit);
            auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const Table::Cells& cells) { return cells[0] == name; });
            if (row == rows.end()) {
                row = rows.insert(rows.end(), Table::Cells(1 + result.rows.size()));
                row->front() = name;
            }
            (*row)[i + 1] = fmt::format("{:.4g}", counter.value);
        }
    }
    const std::string none = result.no_counters.empty()
                                 ? ""
                                 : fmt::format("no hardware counters: {}\n", result.no_counters);
    return rows.empty() ? none : "\n" + Table::text(columns, rows, kWhole) + none;
}

}  // namespace

std::string objective_text(const ObjectiveResult& result) {
    std::vector<Column> columns{{"", Align::right}, {"time", Align::right}};
    if (has_energy(result)) {
        columns.push_back({"energy", Align::right});
        columns.push_back({"power", Align::right});
        columns.push_back({"J s", Align::right});
    }
    for (const KernelTemplate::Metric& metric : metrics_of(result)) {
        columns.push_back({metric_title(metric.name, metric.unit), Align::right});
    }
    if (chooses(result)) {
        columns.push_back({"Pareto"});
    }
    columns.push_back({"configuration"});
    std::vector<Table::Cells> rows;
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
        rows.push_back(cells_of(result, i));
    }
    const std::string choice =
        chooses(result)
            ? fmt::format("chosen by {}: {}{}\n", result.objective.name,
                          result.rows[result.chosen].judged.configuration,
                          result.pinned      ? ", pinned: tunings by time do not replace it"
                          : result.disturbed ? ", not stored: its times are disturbed; tune "
                                               "again on a quiet machine"
                                             : "")
            : "";
    return "\n" + Table::text(columns, rows, kWhole) + counters_text(result) + choice;
}

Json objective_json(const ObjectiveResult& result) {
    Json finalists = Json::array();
    for (const ObjectiveResult::Row& row : result.rows) {
        Json one{{"configuration", row.judged.configuration},
                 {"median_ns", row.judged.time_ns},
                 {"metrics", metrics_json(row.metrics)}};
        if (chooses(result)) {
            one["pareto"] = row.is_best_compromise;
        }
        if (!row.figures.energy_j.empty()) {
            const Interval energy = row.figures.energy();
            one["energy_j"] = energy.value;
            one["energy_low_j"] = energy.low;
            one["energy_high_j"] = energy.high;
            one["power_w"] = row.figures.power_w();
            one["windows"] = row.figures.energy_j.size();
        }
        one["counters"] = Json::object();
        for (const CounterValue& counter : row.figures.counters) {
            one["counters"][counter.name] = {{"value", json_number(counter.value)},
                                             {"unit", counter.unit}};
        }
        finalists.push_back(std::move(one));
    }
    Json document{{"objective", result.objective.name},
                  {"no_counters", result.no_counters},
                  {"finalists", finalists}};
    if (chooses(result)) {
        document["chosen"] = result.rows[result.chosen].judged.configuration;
        document["pinned"] = result.pinned;
    }
    return document;
}

}  // namespace jitune::internal
