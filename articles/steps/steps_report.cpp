// SPDX-License-Identifier: Apache-2.0
#include "articles/steps/steps_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "cli/app/exit_code.hpp"
#include "text/units.hpp"
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

using Line = std::span<const StepRun>;

/// A column of a line that has one run. `text` is asked only where the run was timed, if
/// `needs_time`.
template <class Text>
StepColumn column(Column column, bool needs_time, Text text) {
    return {std::move(column), [needs_time, text](Line line) -> std::string {
                const StepRun& run = line.front();
                return needs_time && !run.result.is_timed() ? "" : std::string(text(run));
            }};
}

std::string failure(const StepRun& run) {
    return fmt::format("{}: {}", to_string(run.result.outcome), one_line(run.result.note));
}

/// Makes the last column say why a run was not timed.
void explain_in_last(std::vector<StepColumn>& columns) {
    columns.back().text = [text = columns.back().text](Line line) {
        return line.front().result.is_timed() ? text(line) : failure(line.front());
    };
}

std::string times_faster(const std::optional<double>& speed_up) {
    return speed_up ? fmt::format("{:.2f}x", *speed_up) : "";
}

std::string median(const StepRun& run) {
    return time_text(run.result.standard.median_ns);
}

/// Of the run at `index` in a line of the stencil.
StepColumn time_column(std::string title, std::size_t index) {
    return {{std::move(title), Align::right, 8}, [index](Line line) -> std::string {
                return line[index].result.is_timed() ? median(line[index]) : "";
            }};
}

StepColumn speed_up_column(std::string title, std::size_t index) {
    return {{std::move(title), Align::right, 6}, [index](Line line) -> std::string {
                if (line[index].result.outcome == StepResult::Outcome::failed) {
                    return "failed";
                }
                return times_faster(speed_up(line.front(), line[index]));
            }};
}

std::string kernel_and_whole(const StepRun& run) {
    if (!run.result.is_timed()) {
        return std::string(to_string(run.result.outcome));
    }
    const bool is_placed = runs_placements(run.step->platform);
    return fmt::format("{} / {}", is_placed ? "-" : median(run), time_text(run.result.whole_ns()));
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

StepsView reduction_steps_view(bool tuned) {
    StepsView view;
    view.columns = {
        column({"article", Align::left, 11}, false,
               [](const StepRun& run) { return run.step->article; }),
        column({"step", Align::left, 11}, false, [](const StepRun& run) { return run.step->name; }),
        column({"change", Align::left, 32}, false,
               [](const StepRun& run) { return run.step->change; }),
        column({"time", Align::right, 8}, true, median),
        column({"GB/s", Align::right, 5}, true,
               [](const StepRun& run) { return rate_text(run.result.gb_per_s); }),
        column({"peak", Align::right, 5}, true,
               [](const StepRun& run) {
                   const auto share = share_of_peak(run);
                   return share ? fmt::format("{:.0f} %", 100 * *share) : "";
               }),
        column({"speed-up", Align::right, 8}, true,
               [](const StepRun& run) { return times_faster(run.speed_up); }),
        column({"configuration", Align::left, 22}, true,
               [](const StepRun& run) { return run.result.standard.configuration; })};
    if (tuned) {
        view.columns.push_back(column({"tuned", Align::right, 8}, true, [](const StepRun& run) {
            return run.result.best ? time_text(run.result.best->median_ns) : "";
        }));
        view.columns.push_back(column({"best configuration"}, true, [](const StepRun& run) {
            return run.result.best ? run.result.best->configuration : "";
        }));
    }
    explain_in_last(view.columns);
    view.keys = {"article", "step",     "change",        "outcome",  "configuration", "median_ns",
                 "noise",   "gb_per_s", "share_of_peak", "speed_up", "best"};
    view.must_time = true;
    return view;
}

StepsView stencil_steps_view() {
    const std::span<const Step> steps = step_set("stencil").steps;
    StepsView view;
    view.line_for_each_input = true;
    view.columns = {column({"radius", Align::right}, false,
                           [](const StepRun& run) { return fmt::format("{}", run.input.radius); }),
                    time_column("shared", 0)};
    for (const auto& [name, title] : {std::pair{"shared", "sh"}, {"register_cache", "rc"}}) {
        for (std::size_t i = 1; i < steps.size(); ++i) {
            if (steps[i].name == name) {
                view.columns.push_back(
                    speed_up_column(fmt::format("{} {}", title, steps[i].outputs), i));
            }
        }
    }
    view.columns.push_back(speed_up_column("jitune", steps.size() - 1));
    view.columns.push_back(time_column("time", steps.size() - 1));
    view.keys = {"step", "radius", "outputs_per_thread", "configuration", "median_ns", "noise"};
    return view;
}

StepsView entropy_steps_view(std::span<const StepInput> inputs) {
    StepsView view;
    view.columns = {
        column({"step", Align::left, 7}, false, [](const StepRun& run) { return run.step->name; }),
        column({"change", Align::left, 31}, false,
               [](const StepRun& run) { return run.step->change; }),
        column({"device", Align::left, 7}, false,
               [](const StepRun& run) { return run.device->id; })};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        view.columns.push_back({{fmt::format("{}^2", inputs[i].size), Align::right, 19},
                                [i](Line line) { return kernel_and_whole(line[i]); }});
    }
    view.keys = {"step",          "change",    "device",    "size",    "outcome",
                 "configuration", "kernel_ns", "copies_ns", "whole_ns"};
    return view;
}

}  // namespace jitune::internal
