// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/steps_run.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

std::vector<const Step*> steps_on(const StepSet& set, const Device& device) {
    std::vector<const Step*> steps;
    for (const Step& step : set.steps) {
        if (step.platform == device.info().platform) {
            steps.push_back(&step);
        }
    }
    return steps;
}

bool have_one_input(const StepRun& a, const StepRun& b) {
    return a.device == b.device && a.input.size == b.input.size && a.input.radius == b.input.radius;
}

}  // namespace

StepsRun::StepsRun(Engine& engine, StepsPlan plan, bool json)
    : plan_(std::move(plan)),
      json_(json),
      runner_(engine, plan_.set, interrupt_.requested()),
      table_(plan_.view) {}

int StepsRun::run() {
    show(plan_.title);
    show(table_.header());
    for (Device* device : plan_.devices) {
        const std::vector<const Step*> steps = steps_on(plan_.set, *device);
        if (plan_.view.line_for_each_input) {
            for (const StepInput& input : plan_.inputs) {
                run_line(*device, steps, {&input, 1});
            }
        } else {
            for (const Step* const& step : steps) {
                run_line(*device, {&step, 1}, plan_.inputs);
            }
        }
    }
    show_end();
    return steps_exit_code(plan_.view, runs_, interrupt_.requested());
}

/// Drops a line in which the user interrupts the run.
void StepsRun::run_line(Device& device, std::span<const Step* const> steps,
                        std::span<const StepInput> inputs) {
    const std::size_t begin = runs_.size();
    for (const Step* step : steps) {
        for (const StepInput& input : inputs) {
            if (interrupt_.requested()) {
                runs_.resize(begin);
                return;
            }
            add(device, *step, input);
        }
    }
    show(table_.line(std::span(runs_).subspan(begin)));
}

void StepsRun::add(Device& device, const Step& step, const StepInput& input) {
    StepRun run{&step, &device.info(), input, runner_.run(device, step, input, plan_.tune), {}};
    if (!step.is_own()) {
        const auto first = std::find_if(runs_.begin(), runs_.end(), [&](const StepRun& earlier) {
            return earlier.step->article == step.article && have_one_input(earlier, run);
        });
        run.speed_up = speed_up(first == runs_.end() ? run : *first, run);
    }
    runs_.push_back(std::move(run));
}

void StepsRun::show(const std::string& text) const {
    if (!json_) {
        print(text);
    }
}

void StepsRun::show_end() const {
    const bool interrupted = interrupt_.requested();
    if (json_) {
        Json document = plan_.head;
        document["interrupted"] = interrupted;
        document["steps"] = steps_json(plan_.view, runs_);
        print_json(document);
    } else if (interrupted) {
        print(fmt::format("interrupted: {} of {} steps were run\n", runs_.size(), planned()));
    }
}

std::size_t StepsRun::planned() const {
    std::size_t steps = 0;
    for (const Device* device : plan_.devices) {
        steps += steps_on(plan_.set, *device).size();
    }
    return steps * plan_.inputs.size();
}

}  // namespace jitune::internal
