// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/app/command.hpp"
#include "cli/app/common_options.hpp"
#include "cli/sweep/sweep_plan.hpp"
#include "cli/sweep/sweep_run.hpp"

namespace jitune::internal {

namespace sweep_kernel_command {
Invocation invocation();
}
namespace sweep_work_command {
Invocation invocation();
}
namespace sweep_worklist_command {
Invocation invocation();
}
namespace sweep_collect_command {
Invocation invocation();
}

namespace sweep_command {

namespace {

int run(const SweepArguments& arguments, const SweepFamily& family) {
    refuse_unplaced(family, arguments.device);
    if (!arguments.plan.empty()) {
        return plan_family(arguments, family);
    }
    return sweep_plan_here(arguments, family.plan(arguments.problems));
}

std::string device_help(const SweepFamily& family) {
    const bool placed = has_placements(family);
    return fmt::format(
        "host, cuda (all GPUs, one problem on each){}cuda:N{} [all GPUs, else the host]",
        placed ? ", " : " or ", placed ? " or machine: where host memory is worked on" : "");
}

Invocation invocation(const SweepFamily& family) {
    auto arguments = std::make_shared<SweepArguments>();
    arguments->problems = sweep_arguments(family);
    std::vector<Option> options;
    for (const FamilyArgument& one : family.arguments) {
        options.push_back({one.in_sweep.name,
                           &arguments->problems.at(one.in_sweep.name),
                           one.in_sweep.help,
                           {.choices = one.in_sweep.choices}});
    }
    append(options, sweep_search_options(*arguments, device_help(family)));
    options.push_back(sweep_plan_option(*arguments));
    return {std::move(options), [arguments, &family] { return run(*arguments, family); }};
}

}  // namespace

/// `jitune sweep NAME` for each row of sweep_families(), and the other children of `sweep`.
std::vector<Command> commands() {
    std::vector<Command> commands;
    for (const SweepFamily& family : sweep_families()) {
        commands.push_back({family.name, family.help, [&family] { return invocation(family); }});
    }
    commands.push_back(
        {"kernel", "A kernel of your own, for one or all sizes between two; in short: sweep FILE",
         sweep_kernel_command::invocation});
    commands.push_back({"worklist",
                        "Problems that calls had no winner for, most worth tuning first",
                        sweep_worklist_command::invocation});
    commands.push_back({"work", "Tune problems of a plan, beside other tasks, until none is left",
                        sweep_work_command::invocation});
    commands.push_back({"collect",
                        "Merge what the tasks of a plan have done, and say what is missing",
                        sweep_collect_command::invocation});
    return commands;
}

}  // namespace sweep_command

}  // namespace jitune::internal
