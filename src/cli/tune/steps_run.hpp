// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/app/interrupt.hpp"
#include "cli/tune/steps_report.hpp"

namespace jitune::internal {

/// The measurements of one command `jitune steps ...` and the way it shows them.
struct StepsPlan {
    const StepSet& set;
    StepsView view;
    std::vector<Device*> devices;  ///< each runs the steps of its platform
    std::vector<StepInput> inputs;
    bool tune = false;  ///< try every configuration of the steps, too
    std::string title;  ///< lines before the text table
    Json head;          ///< keys of the JSON document before "interrupted" and "steps"
};

/// One run of a command: measures line after line and shows each when it is complete.
class StepsRun {
public:
    /// `json`: prints one document at the end instead of text.
    StepsRun(Engine& engine, StepsPlan plan, bool json);

    /// Returns the exit code. Throws as StepRunner::run().
    int run();

private:
    void run_line(Device& device, std::span<const Step* const> steps,
                  std::span<const StepInput> inputs);
    void add(Device& device, const Step& step, const StepInput& input);
    void show(const std::string& text) const;
    void show_end() const;
    [[nodiscard]] std::size_t planned() const;

    const StepsPlan plan_;
    const bool json_;
    const Interrupt interrupt_;
    StepRunner runner_;
    const StepsTable table_;
    std::vector<StepRun> runs_;  ///< of complete lines
};

}  // namespace jitune::internal
