// SPDX-License-Identifier: Apache-2.0
#include "cli/steps_result.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "cli/exit_code.hpp"
#include "cli/units.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kOwn = "jitune";

std::string_view word(StepRow::Outcome outcome) {
    switch (outcome) {
        case StepRow::Outcome::timed:
            return "timed";
        case StepRow::Outcome::skipped:
            return "skipped";
        case StepRow::Outcome::failed:
            break;
    }
    return "failed";
}

std::string_view article(const StepLine& line) {
    return line.step == nullptr ? kOwn : line.step->article;
}

std::string_view name(const StepLine& line) {
    return line.step == nullptr ? "reduce" : line.step->name;
}

std::string_view change(const StepLine& line) {
    return line.step == nullptr ? "the tuned winner" : line.step->change;
}

std::vector<Column> columns(bool tuned) {
    std::vector<Column> columns{{"article", Align::left, 11},  {"step", Align::left, 11},
                                {"change", Align::left, 32},   {"time", Align::right, 8},
                                {"GB/s", Align::right, 5},     {"peak", Align::right, 5},
                                {"speed-up", Align::right, 8}, {"configuration", Align::left, 22}};
    if (tuned) {
        columns.push_back({"tuned", Align::right, 8});
        columns.push_back({"best configuration"});
    }
    return columns;
}

Json time_json(const StepTime& time) {
    return {{"configuration", time.configuration},
            {"median_ns", time.median_ns},
            {"noise", time.noise}};
}

Json line_json(const StepLine& line, const std::optional<double>& peak_gb_per_s) {
    Json json{{"article", article(line)},
              {"step", name(line)},
              {"change", change(line)},
              {"outcome", word(line.row.outcome)}};
    if (line.row.outcome != StepRow::Outcome::timed) {
        json["note"] = line.row.note;
        return json;
    }
    json.update(time_json(line.row.standard));
    json["gb_per_s"] = line.gb_per_s;
    json["share_of_peak"] = peak_gb_per_s ? Json(line.gb_per_s / *peak_gb_per_s) : Json();
    json["speed_up"] = line.speed_up ? Json(*line.speed_up) : Json();
    if (line.row.best) {
        json["best"] = time_json(*line.row.best);
    }
    return json;
}

std::size_t count(const StepsResult& result, StepRow::Outcome outcome) {
    return static_cast<std::size_t>(
        std::count_if(result.lines.begin(), result.lines.end(),
                      [&](const StepLine& line) { return line.row.outcome == outcome; }));
}

}  // namespace

StepsTable::StepsTable(bool tuned, std::optional<double> peak_gb_per_s)
    : tuned_(tuned), peak_gb_per_s_(peak_gb_per_s), table_(columns(tuned)) {}

std::string StepsTable::line(const StepLine& line) const {
    Table::Cells cells{std::string(article(line)), std::string(name(line)),
                       std::string(change(line))};
    if (line.row.outcome == StepRow::Outcome::timed) {
        const StepRow& row = line.row;
        cells.push_back(time_text(row.standard.median_ns));
        cells.push_back(rate_text(line.gb_per_s));
        cells.push_back(
            peak_gb_per_s_ ? fmt::format("{:.0f} %", 100 * line.gb_per_s / *peak_gb_per_s_) : "");
        cells.push_back(line.speed_up ? fmt::format("{:.2f}x", *line.speed_up) : "");
        cells.push_back(row.standard.configuration);
        if (tuned_) {
            cells.push_back(row.best ? time_text(row.best->median_ns) : "");
            cells.push_back(row.best ? row.best->configuration : "");
        }
    } else {
        cells.insert(cells.end(), tuned_ ? 6 : 4, "");
        cells.push_back(fmt::format("{}: {}", word(line.row.outcome), one_line(line.row.note)));
    }
    return table_.line(cells);
}

Json steps_json(const StepsResult& result) {
    Json lines = Json::array();
    for (const StepLine& line : result.lines) {
        lines.push_back(line_json(line, result.peak_gb_per_s));
    }
    return {{"kernel", "reduce"},
            {"type", to_string(result.type)},
            {"n", result.n},
            {"device", result.device},
            {"device_name", result.device_name},
            {"compiler", result.compiler},
            {"peak_gb_per_s", result.peak_gb_per_s ? Json(*result.peak_gb_per_s) : Json()},
            {"interrupted", result.interrupted},
            {"steps", lines}};
}

int steps_exit_code(const StepsResult& result) {
    if (result.interrupted) {
        return kExitInterrupted;
    }
    if (count(result, StepRow::Outcome::failed) > 0) {
        return kExitFailed;
    }
    return count(result, StepRow::Outcome::timed) > 0 ? kExitOk : kExitUnavailable;
}

}  // namespace jitune::internal
