// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_run.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/ranges.h>

#include "backend/platform_kind.hpp"
#include "cli/app/common_options.hpp"
#include "cli/app/progress.hpp"
#include "cli/app/report.hpp"
#include "cli/sweep/sweep_text.hpp"
#include "cli/sweep/worklist_plan.hpp"
#include "dispatch/session_access.hpp"
#include "strategy/strategy.hpp"
#include "sweep/call_estimate.hpp"
#include "sweep/work_order.hpp"
#include "text/units.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kAdvice = "--plan DIR plans the sweep for machines that have one";
constexpr const char* kOwnAdvice =
    "--plan DIR plans the sweep for machines that have one, and jitune check finds mistakes in a "
    "template without a device";

/// Prints each row as it is done, and how far the sweep is.
class Printer : public SweepObserver {
public:
    Printer(const SweepTable& table, bool quiet) : table_(table), quiet_(quiet) {}

    void done(const SweepRow& row) override {
        shown_.clear();
        if (!quiet_) {
            print(table_.lines(row));
        }
    }
    void progress(const SweepState& state) override { shown_.show(state); }

private:
    const SweepTable& table_;
    const bool quiet_;
    Progress shown_;
};

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
    print_either(arguments.json,
                 {{"plan", arguments.plan},
                  {"id", plan.id},
                  {"kernel", problems.kernel},
                  {"problems", problems.problems.size()},
                  {"order", order}},
                 fmt::format("{} of {} planned in {}, {}; \"jitune sweep work {}\" tunes them, "
                             "\"jitune sweep collect {}\" merges what is done\n",
                             count_text(std::ssize(problems.problems), "problem"), problems.kernel,
                             arguments.plan, order, arguments.plan, arguments.plan));
    return kExitOk;
}

/// Plans the problems of a family or of a kernel of one's own.
int plan_by_gain(const SweepArguments& arguments, PlanFile plan) {
    check_plan_arguments(arguments);
    plan.search = resolved(arguments);
    SweepPlan problems = unranked_problems(plan);
    const std::string platform{
        to_string(runs_on_cpu(arguments.device) ? PlatformKind::host : PlatformKind::cuda)};
    plan.order =
        gain_order(problems_of(problems), platform, winners_known(sweep_options(arguments)));
    problems = ranked(std::move(problems), plan.order);
    return write_and_tell(arguments, std::move(plan), problems,
                          "the largest expected speed-up first");
}

}  // namespace

std::vector<Option> usual_sweep_options(SweepArguments& given, const std::string& device_help,
                                        std::vector<Option> own) {
    append(own,
           {device_option(&given.device, device_help),
            strategy_option(&given.strategy,
                            fmt::format("Search strategy: {} [{}]",
                                        fmt::join(strategy_names(), ", "), given.strategy)),
            given.budget_option("Seconds for each problem; 0: no limit [JITUNE_BUDGET, else 2]"),
            {"--seed", &given.seed, "Seed of strategies that draw at random [0]"},
            {"--plan",
             &given.plan,
             "Tune nothing: write the problems into this new folder, for sweep work on many "
             "machines",
             {.excludes = {"--report"}}},
            given.hang_limit_option(),
            given.isolation_option(),
            {"--report", &given.report,
             "Write a page that shows the database to this file at the end"},
            given.database_option(),
            given.log_option(),
            given.verbose_option(),
            given.json_option()});
    return own;
}

std::vector<Option> sweep_search_options(SweepArguments& given, const std::string& device_help,
                                         std::vector<Option> own) {
    append(own,
           {{"--evaluations",
             &given.evaluations,
             "The most configurations for each problem; 0: no limit [0]",
             {.range = kEvaluations}},
            {"--target", &given.target,
             "End the search for a problem at a time as in 12.5us, or at a speed-up over the "
             "template's default as in 1.5x"},
            {"--from", &given.from,
             "Recorded results, T4 JSON or a cache of Kernel Tuner, whose best are tried first"},
            {"--again", &given.again,
             "Tune complete problems anew, against their winners, instead of skipping them"}});
    return usual_sweep_options(given, device_help, std::move(own));
}

SweepResult run_sweep(const SweepArguments& arguments, Engine& engine,
                      const std::vector<Device*>& devices, const SweepPlan& plan,
                      SweepSearch search, const Interrupt& interrupt, const Json& more) {
    refuse_unwritable(engine.options());
    const SweepTable table(plan, ids_of(devices), arguments.table_width());
    SweepResult result;
    {
        Printer printer(table, arguments.json);
        Sweep sweep(engine, devices, problems_of(plan), std::move(search), interrupt.requested(),
                    printer);
        if (!arguments.json) {
            print(sweep_title(plan, sweep.description()));
            print(table.header());
        }
        result = sweep.run();
    }
    if (arguments.json) {
        Json json = sweep_json(plan, result);
        json.update(more);
        print_json(json);
    } else {
        print(sweep_summary(plan, result));
    }
    return result;
}

void report_sweep(const SweepArguments& arguments, const Options& options) {
    if (!arguments.report.empty()) {
        write_report(options, {}, arguments.report, arguments.json);
    }
}

int sweep_plan_here(const SweepArguments& arguments, const SweepPlan& plan) {
    SweepSearch search = sweep_search(arguments);
    const Options options = sweep_options(arguments);
    refuse_sweep_report(options, arguments.report);
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    const std::vector<Device*> devices = with_advice(plan.code.empty() ? kAdvice : kOwnAdvice, [&] {
        return sweep_devices(engine, arguments.device);
    });
    const Interrupt interrupt;
    const SweepResult result =
        run_sweep(arguments, engine, devices, plan, std::move(search), interrupt);
    report_sweep(arguments, options);
    return sweep_exit_code(result);
}

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
