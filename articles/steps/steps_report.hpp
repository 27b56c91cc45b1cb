// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "articles/step_runner.hpp"
#include "cli/app/output.hpp"
#include "cli/formats/table.hpp"

namespace jitune::internal {

/// One step on one input, with its outcome.
struct StepRun {
    const Step* step = nullptr;
    const DeviceInfo* device = nullptr;
    StepInput input;
    StepResult result;
    /// Over the first step of the same article on the same device and input, where both were timed;
    /// empty for jitune's own kernel.
    std::optional<double> speed_up;
};

/// How many times faster `run` is than `first`; empty unless both were timed.
std::optional<double> speed_up(const StepRun& first, const StepRun& run);

/// Of the peak rate of the device's memory; empty where the driver does not tell that.
std::optional<double> share_of_peak(const StepRun& run);

/// A column of a text table. `text` makes its cell from the runs that share a line.
struct StepColumn {
    Column column;
    std::function<std::string(std::span<const StepRun> line)> text;
};

/// How a command shows its runs.
struct StepsView {
    /// A line is one input with all steps of a device; otherwise one step with all inputs.
    bool line_for_each_input = false;
    std::vector<StepColumn> columns;
    /// Of the JSON object of a run, in order. A run that was not timed has those that need no time,
    /// then "note".
    std::vector<std::string_view> keys;
    bool must_time = false;  ///< a command that timed no step ends with exit code 4
};

/// The text table of a view.
class StepsTable {
public:
    /// `view` must outlive the table.
    explicit StepsTable(const StepsView& view);
    [[nodiscard]] std::string header() const { return table_.header(); }
    [[nodiscard]] std::string line(std::span<const StepRun> runs) const;

private:
    const StepsView& view_;
    Table table_;
};

/// One object for each run.
Json steps_json(const StepsView& view, std::span<const StepRun> runs);

int steps_exit_code(const StepsView& view, std::span<const StepRun> runs, bool interrupted);

/// One line for each step of the sum. `tuned`: every configuration of each step was tried, too.
StepsView reduction_steps_view(bool tuned);

/// One line for each radius: the time of the article's first kernel, and how many times faster the
/// others are.
StepsView stencil_steps_view();

/// One line for each version, one column for each input.
StepsView entropy_steps_view(std::span<const StepInput> inputs);

}  // namespace jitune::internal
