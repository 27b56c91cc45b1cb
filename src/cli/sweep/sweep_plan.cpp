// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_plan.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "backend/platform_kind.hpp"
#include "cli/app/exit_code.hpp"
#include "cli/app/output.hpp"
#include "cli/sweep/plan_file.hpp"
#include "cli/sweep/worklist_plan.hpp"
#include "jitune/error.hpp"
#include "sweep/gain_order.hpp"
#include "sweep/worklist.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

/// Refuses arguments that name one device of one machine: a plan's tasks run on many machines, and
/// each names its own.
void check_plan_arguments(const SweepArguments& arguments) {
    if (arguments.device.find(':') != std::string::npos) {
        throw Error(
            ErrorKind::usage,
            fmt::format("--device {}: a plan is for all devices of a platform: name {} "
                        "here, and the one device to \"jitune sweep work\"",
                        arguments.device, arguments.device.substr(0, arguments.device.find(':'))));
    }
    if (arguments.again) {
        throw Error(ErrorKind::usage,
                    "--again: tasks of a plan begin without winners and tune every problem anyway: "
                    "leave it out");
    }
    if (!arguments.within.empty()) {
        throw Error(ErrorKind::usage,
                    "--within: a plan has no end: give each task its time, by --time-left of "
                    "\"jitune sweep work\"");
    }
}

/// The arguments with what the environment of this machine says, for machines with another one.
SweepArguments resolved(SweepArguments arguments) {
    const Options options = sweep_options(arguments);
    const auto seconds = [](std::chrono::milliseconds time) {
        return fmt::format("{}", std::chrono::duration<double>(time).count());
    };
    arguments.budget = seconds(options.budget);
    arguments.hang_limit = seconds(options.hang_limit);
    static_cast<void>(sweep_search(arguments));  // checks them
    return arguments;
}

/// The winners of the database, if there is one: evidence, not a need.
std::vector<Winner> winners_known(const Options& options) {
    std::error_code error;
    if (options.database.empty() || !std::filesystem::exists(options.database, error)) {
        return {};
    }
    return open_database(options)->winners();
}

int write_and_tell(const SweepArguments& arguments, PlanFile plan, const SweepPlan& problems,
                   const std::string& order) {
    if (problems.problems.empty()) {
        throw Error(ErrorKind::usage, "there is no problem to plan");
    }
    plan.id = random_name();
    plan.digest = plan_digest(plan, problems);
    write_plan(PlanFolder::make(arguments.plan), plan);
    if (arguments.json) {
        print_json({{"plan", arguments.plan},
                    {"id", plan.id},
                    {"kernel", problems.kernel},
                    {"problems", problems.problems.size()},
                    {"order", order}});
    } else {
        print(
            fmt::format("{} of {} planned in {}, {}; \"jitune sweep work {}\" tunes them, "
                        "\"jitune sweep collect {}\" merges what is done\n",
                        count_text(std::ssize(problems.problems), "problem"), problems.kernel,
                        arguments.plan, order, arguments.plan, arguments.plan));
    }
    return kExitOk;
}

/// Plans the problems of a family or of a kernel of one's own.
int plan_by_gain(const SweepArguments& arguments, PlanFile plan) {
    check_plan_arguments(arguments);
    plan.search = resolved(arguments);
    SweepPlan problems = unranked_problems(plan);
    std::vector<SweepProblem> all;
    for (const PlannedProblem& one : problems.problems) {
        all.push_back(one.problem);
    }
    const std::string platform{to_string(arguments.device == to_string(PlatformKind::host)
                                             ? PlatformKind::host
                                             : PlatformKind::cuda)};
    plan.order = gain_order(all, platform, winners_known(sweep_options(arguments)));
    std::vector<PlannedProblem> ranked;
    for (const std::size_t place : plan.order) {
        ranked.push_back(std::move(problems.problems[place]));
    }
    problems.problems = std::move(ranked);
    return write_and_tell(arguments, std::move(plan), problems,
                          "the largest expected speed-up first");
}

}  // namespace

int plan_family(const SweepArguments& arguments, const SweepFamily& family) {
    PlanFile plan;
    plan.kernel = family.name;
    return plan_by_gain(arguments, std::move(plan));
}

int plan_kernel(const SweepArguments& arguments, PlannedKernel own) {
    PlanFile plan;
    plan.kernel = "kernel";
    plan.own = std::move(own);
    return plan_by_gain(arguments, std::move(plan));
}

int plan_worklist(const SweepArguments& arguments) {
    check_plan_arguments(arguments);
    PlanFile plan;
    plan.kernel = "worklist";
    plan.search = resolved(arguments);
    const Options options = sweep_options(arguments);
    const auto store = open_database(options);
    for (const WorkItem& item : worklist_of(*store)) {
        plan.misses.push_back(item.misses.front());
    }
    const SweepPlan problems =
        worklist_problems(plan.misses, Log(options.log_level, options.log_sink));
    for (std::size_t rank = 0; rank < problems.problems.size(); ++rank) {
        plan.order.push_back(rank);
    }
    return write_and_tell(arguments, std::move(plan), problems, "most worth tuning first");
}

}  // namespace jitune::internal
