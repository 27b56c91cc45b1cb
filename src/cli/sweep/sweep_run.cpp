// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_run.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/app/common_options.hpp"
#include "cli/app/output.hpp"
#include "cli/app/progress.hpp"
#include "cli/app/report.hpp"
#include "cli/sweep/sweep_text.hpp"
#include "dispatch/session_access.hpp"
#include "strategy/strategy.hpp"

namespace jitune::internal {

namespace {

constexpr const char* kAdvice = "--plan DIR plans the sweep for machines that have one";
constexpr const char* kOwnAdvice =
    "--plan DIR plans the sweep for machines that have one, and jitune check finds mistakes in a "
    "template without a device";

std::vector<SweepProblem> problems_of(const SweepPlan& plan) {
    std::vector<SweepProblem> problems;
    for (const PlannedProblem& one : plan.problems) {
        problems.push_back(one.problem);
    }
    return problems;
}

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

}  // namespace

std::vector<Option> sweep_search_options(SweepArguments& given, const std::string& device_help) {
    return {
        device_option(&given.device, device_help),
        strategy_option(&given.strategy,
                        fmt::format("Search strategy: {} [{}]", fmt::join(strategy_names(), ", "),
                                    given.strategy)),
        given.budget_option("Seconds for each problem; 0: no limit [JITUNE_BUDGET, else 2]"),
        {"--seed", &given.seed, "Seed of strategies that draw at random [0]"},
        {"--evaluations",
         &given.evaluations,
         "The most configurations for each problem; 0: no limit [0]",
         {.range = kEvaluations}},
        {"--target", &given.target,
         "End the search for a problem at a time as in 12.5us, or at a speed-up over the "
         "template's default as in 1.5x"},
        {"--from", &given.from,
         "Recorded results, T4 JSON or a cache of Kernel Tuner, whose best are tried first"},
        {"--again", &given.again,
         "Tune complete problems anew, against their winners, instead of skipping them"},
        given.hang_limit_option(),
        given.isolation_option(),
        sweep_report_option(given),
        given.database_option(),
        given.log_option(),
        given.verbose_option(),
        given.json_option(),
    };
}

Option sweep_plan_option(SweepArguments& given) {
    return {
        "--plan",
        &given.plan,
        "Tune nothing: write the problems into this new folder, for sweep work on many machines",
        {.excludes = {"--report"}}};
}

Option sweep_report_option(SweepArguments& given) {
    return {"--report", &given.report,
            "Write a page that shows the database to this file at the end"};
}

SweepResult run_sweep(const SweepArguments& arguments, Engine& engine,
                      const std::vector<Device*>& devices, const SweepPlan& plan,
                      SweepSearch search, const Interrupt& interrupt, const Json& more) {
    refuse_unwritable(engine.options());
    std::vector<std::string> ids;
    for (const Device* device : devices) {
        ids.push_back(device->info().id);
    }
    const SweepTable table(plan, ids, arguments.table_width());
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

}  // namespace jitune::internal
