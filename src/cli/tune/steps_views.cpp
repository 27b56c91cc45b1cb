// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/steps_views.hpp"

#include <fmt/format.h>

#include "text/units.hpp"

namespace jitune::internal {

namespace {

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
