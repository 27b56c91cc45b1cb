// SPDX-License-Identifier: Apache-2.0

#include "backend/platform_kind.hpp"
#include "cli/app/common_options.hpp"
#include "cli/families/kernel_problems.hpp"
#include "cli/sweep/sweep_run.hpp"
#include "families/own/kernel_file.hpp"

namespace jitune::internal {

namespace sweep_work_command {
Invocation invocation();
}
namespace sweep_worklist_command {
Invocation invocation();
}
namespace sweep_collect_command {
Invocation invocation();
}

namespace sweep_kernel_command {

namespace {

struct Arguments : SweepArguments {
    std::string file;
    std::vector<std::string> compile_options;
    KernelProblems own;
};

/// The device that was named, which must be of the template's platform; if none was named, that
/// platform.
std::string device_of(const std::string& named, const KernelTemplate& kernel) {
    const std::string platform(to_string(kernel.front_matter().platform));
    if (!named.empty() && named != platform && !named.starts_with(platform + ":")) {
        throw Error(ErrorKind::usage, fmt::format("--device {}: {} is a template for {}", named,
                                                  kernel.source().name, platform));
    }
    return named.empty() ? platform : named;
}

int run(Arguments& arguments) {
    const auto kernel =
        std::make_shared<const Kernel>(kernel_from_file(arguments.file, arguments.compile_options));
    arguments.device = device_of(arguments.device, kernel->kernel_template);
    if (!arguments.plan.empty()) {
        return plan_kernel(arguments, {carried_template(arguments.file, arguments.compile_options),
                                       arguments.own});
    }
    return sweep_plan_here(arguments, kernel_problems(kernel, arguments.own));
}

}  // namespace

Invocation invocation() {
    return invocation_of<Arguments>(run, [](Arguments& given) {
        return sweep_search_options(
            given,
            "host, cuda (all GPUs, one problem on each) or cuda:N [of the template's platform]",
            {{"FILE", &given.file, "Kernel template: a .cu or .host.cpp file", {.required = true}},
             {"--size", &given.own.sizes,
              "A size, NAME=SIZES, as in n=1000,2^20 or m=64..4096, all between; give each"},
             {"--type", &given.own.types,
              "A type, NAME=TYPE, as in element=float32 [each of its names]"},
             {"--multiple-of",
              &given.own.multiple,
              "Sizes that apps call with are multiples of this: compare only such [1]",
              {.range = {{1, std::size_t{1} << 20}}}},
             {"--option", &given.compile_options,
              "An option for the compiler, as --use_fast_math"}});
    });
}

}  // namespace sweep_kernel_command

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
    return {sweep_search_options(*arguments, device_help(family), std::move(options)),
            [arguments, &family] { return run(*arguments, family); }};
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
