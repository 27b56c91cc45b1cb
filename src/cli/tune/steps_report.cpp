// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/steps_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/app/exit_code.hpp"
#include "tuning/measure/roofline.hpp"

namespace jitune::internal {

namespace {

using Outcome = StepResult::Outcome;

/// A key that the JSON object of a run may have.
struct Key {
    std::string_view name;
    bool needs_time;                                   ///< left out for a run that was not timed
    std::optional<Json> (*value)(const StepRun& run);  ///< nullopt leaves the key out, too
};

std::optional<Json> or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json();
}

Json time_json(const StepTime& time) {
    return {{"configuration", time.configuration},
            {"median_ns", time.median_ns},
            {"noise", time.noise}};
}

/// The parts of a time that a placed call does not have.
std::optional<Json> unless_placed(const StepRun& run, double ns) {
    return runs_placements(run.step->platform) ? std::nullopt : std::optional<Json>(ns);
}

using Cell = std::optional<Json>;

constexpr std::array kKeys{
    Key{"article", false, [](const StepRun& run) -> Cell { return run.step->article; }},
    Key{"step", false, [](const StepRun& run) -> Cell { return run.step->name; }},
    Key{"change", false, [](const StepRun& run) -> Cell { return run.step->change; }},
    Key{"device", false, [](const StepRun& run) -> Cell { return run.device->id; }},
    Key{"size", false, [](const StepRun& run) -> Cell { return run.input.size; }},
    Key{"radius", false, [](const StepRun& run) -> Cell { return run.input.radius; }},
    Key{"outputs_per_thread", false,
        [](const StepRun& run) -> Cell {
            return run.step->outputs > 0 ? Json(run.step->outputs) : Json();
        }},
    Key{"outcome", false, [](const StepRun& run) -> Cell { return to_string(run.result.outcome); }},
    Key{"configuration", true,
        [](const StepRun& run) -> Cell { return run.result.standard.configuration; }},
    Key{"median_ns", true,
        [](const StepRun& run) -> Cell { return run.result.standard.median_ns; }},
    Key{"noise", true, [](const StepRun& run) -> Cell { return run.result.standard.noise; }},
    Key{"gb_per_s", true, [](const StepRun& run) -> Cell { return run.result.gb_per_s; }},
    Key{"share_of_peak", true, [](const StepRun& run) { return or_null(share_of_peak(run)); }},
    Key{"speed_up", true, [](const StepRun& run) { return or_null(run.speed_up); }},
    Key{"best", true,
        [](const StepRun& run) {
            return run.result.best ? Cell(time_json(*run.result.best)) : std::nullopt;
        }},
    Key{"kernel_ns", true,
        [](const StepRun& run) { return unless_placed(run, run.result.standard.median_ns); }},
    Key{"copies_ns", true,
        [](const StepRun& run) { return unless_placed(run, run.result.copies_ns); }},
    Key{"whole_ns", true, [](const StepRun& run) -> Cell { return run.result.whole_ns(); }},
};

const Key& key_of(std::string_view name) {
    return *std::find_if(kKeys.begin(), kKeys.end(),
                         [&](const Key& key) { return key.name == name; });
}

Json run_json(const StepsView& view, const StepRun& run) {
    Json json = Json::object();
    for (const std::string_view name : view.keys) {
        const Key& key = key_of(name);
        if (key.needs_time && !run.result.is_timed()) {
            continue;
        }
        if (auto value = key.value(run)) {
            json[name] = std::move(*value);
        }
    }
    if (!run.result.is_timed()) {
        json["note"] = run.result.note;
    }
    return json;
}

std::vector<Column> columns_of(const StepsView& view) {
    std::vector<Column> columns;
    std::transform(view.columns.begin(), view.columns.end(), std::back_inserter(columns),
                   [](const StepColumn& column) { return column.column; });
    return columns;
}

}  // namespace

std::optional<double> speed_up(const StepRun& first, const StepRun& run) {
    if (!first.result.is_timed() || !run.result.is_timed()) {
        return std::nullopt;
    }
    return first.result.standard.median_ns / run.result.standard.median_ns;
}

std::optional<double> share_of_peak(const StepRun& run) {
    const auto peak = Roofline(*run.device).gb_per_s();
    return peak ? std::optional(run.result.gb_per_s / *peak) : std::nullopt;
}

StepsTable::StepsTable(const StepsView& view) : view_(view), table_(columns_of(view), kWhole) {}

std::string StepsTable::line(std::span<const StepRun> runs) const {
    Table::Cells cells;
    for (const StepColumn& column : view_.columns) {
        cells.push_back(column.text(runs));
    }
    return table_.line(cells);
}

Json steps_json(const StepsView& view, std::span<const StepRun> runs) {
    Json json = Json::array();
    for (const StepRun& run : runs) {
        json.push_back(run_json(view, run));
    }
    return json;
}

int steps_exit_code(const StepsView& view, std::span<const StepRun> runs, bool interrupted) {
    if (interrupted) {
        return kExitInterrupted;
    }
    const auto any = [&](Outcome outcome) {
        return std::any_of(runs.begin(), runs.end(),
                           [&](const StepRun& run) { return run.result.outcome == outcome; });
    };
    if (any(Outcome::failed)) {
        return kExitFailed;
    }
    return view.must_time && !any(Outcome::timed) ? kExitUnavailable : kExitOk;
}

}  // namespace jitune::internal
