// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_command.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/sizes.hpp"
#include "dispatch/session_access.hpp"
#include "strategy/strategy.hpp"
#include "sweep/sweep.hpp"

namespace jitune::internal {

namespace {

Options sweep_options(const SweepArguments& arguments) {
    Options options = arguments.options();
    options.strategy = arguments.strategy;
    options.seed = parse_seed(arguments.seed);
    if (!arguments.hang_limit.empty()) {
        options.hang_limit = parse_limit(arguments.hang_limit);
    }
    if (arguments.no_isolation || arguments.device == "machine") {  // whose candidates are jitune's
        options.worker = "none";
    }
    return options;
}

std::string strategy_names() {
    std::string names;
    for (const StrategyEntry& row : strategies()) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

}  // namespace

int run_sweep(const SweepArguments& arguments, SweepPlan plan) {
    const Options options = sweep_options(arguments);
    SweepSearch search;
    search.target = parse_target(arguments.target);
    search.evaluations = arguments.evaluations;
    if (!arguments.from.empty()) {
        search.hints = Hints(arguments.from);
    }
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    std::vector<Device*> devices = sweep_devices(engine, arguments.device);
    if (!options.database.empty()) {
        // Apps go on without a database; a sweep that cannot keep what it finds must not begin.
        TuningStore::open(options.database, TuningStore::Access::read_write,
                          Log(options.log_level, options.log_sink));
    }
    const Interrupt interrupt;
    Sweep sweep(engine, std::move(devices), std::move(plan), std::move(search),
                interrupt.requested(), [&](const std::string& text) {
                    if (!arguments.json) {
                        print(text);
                    }
                });
    const SweepResult result = sweep.run();
    if (arguments.json) {
        print_json(sweep_json(result));
    } else {
        print(sweep_summary(result));
    }
    return sweep_exit_code(result);
}

std::vector<Option> SweepArguments::options_of_all_sweeps() {
    return {
        {"--device", &device,
         "auto, host, cuda (all GPUs, one problem on each), cuda:N or, not for reduce, "
         "machine: where host memory is worked on [auto: all GPUs, else the host]"},
        {"--strategy", &strategy, fmt::format("Of {} [{}]", strategy_names(), strategy)},
        budget_option("Seconds for each problem; 0: no limit [JITUNE_BUDGET, else 2]"),
        {"--seed", &seed, "For strategies that draw at random [0]"},
        {"--evaluations",
         &evaluations,
         "The most configurations for each problem; 0: no limit [0]",
         {.range = kEvaluations}},
        {"--target", &target,
         "When to be content: a time as in 12.5us, or a speed-up over the template's default as in "
         "1.5x"},
        {"--from", &from, "Recorded results, T4 JSON, whose best configurations are tried first"},
        {"--hang-limit", &hang_limit, "Seconds that checking or timing a candidate may take [60]"},
        {"--no-isolation", &no_isolation,
         "Tune in this process, which a bad candidate then takes down"},
        database_option(),
        log_option(),
        json_option(),
    };
}

}  // namespace jitune::internal
