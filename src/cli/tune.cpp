// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/kernel_arguments.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/recorded_file.hpp"
#include "cli/sizes.hpp"
#include "cli/t1.hpp"
#include "cli/tune_result.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/kernel_file.hpp"
#include "sweep/busy_devices.hpp"
#include "sweep/hints.hpp"

namespace jitune::internal::tune_command {

namespace {

using Clock = std::chrono::steady_clock;

struct Arguments : CommonArguments {
    std::string file;
    std::string input;
    std::string from;
    std::vector<std::string> sizes;
    std::vector<std::string> types;
    std::string device;
    std::string strategy = Options{}.strategy;
    std::string seed = "0";
    std::size_t evaluations = 0;
};

TuneResult describe(const Arguments& arguments, const Task& task, const TuneReport& report) {
    const FrontMatter& front = task.kernel_template().front_matter();
    TuneResult result;
    result.file = arguments.input.empty() ? arguments.file : arguments.input;
    result.kernel = front.kernel;
    result.device = task.info().id;
    result.device_name = task.info().name;
    result.compiler = task.device.compiler();
    for (std::size_t i = 0; i < front.sizes.size(); ++i) {
        result.sizes.emplace_back(front.sizes[i], task.problem.sizes[i]);
    }
    result.types = {task.problem.types.begin(), task.problem.types.end()};
    result.winner = report.winner;
    result.progress = report.progress;
    result.metrics =
        task.metrics(task.parse(report.winner.configuration), report.winner.median_ns * 1e-9);
    if (report.winner.default_median_ns > 0) {
        result.before =
            task.metrics(task.default_configuration(), report.winner.default_median_ns * 1e-9);
    }
    result.arguments = static_cast<std::size_t>(
        std::count_if(front.arguments.begin(), front.arguments.end(),
                      [](const ArgumentSpec& one) { return is_given(one.access); }));
    return result;
}

/// Shows how far the search is.
class Watch {
public:
    Watch(std::string device, std::string name, const Options& options) {
        state_.problems = 1;
        state_.runs.push_back({std::move(device), std::move(name), {}, 0});
        state_.budget_s = std::chrono::duration<double>(options.budget).count();
    }
    void operator()(const TuneProgress& progress) {
        state_.runs.front().tune = progress;
        state_.runs.front().elapsed_s =
            std::chrono::duration<double>(Clock::now() - start_).count();
        shown_.show(state_);
    }

private:
    SweepState state_;
    Clock::time_point start_ = Clock::now();
    Progress shown_;
};

Kernel kernel_of(const Arguments& arguments) {
    if (arguments.file.empty() == arguments.input.empty()) {
        throw Error(ErrorKind::usage,
                    "name either a kernel template, or a T1 problem with --input");
    }
    if (arguments.input.empty()) {
        return kernel_from_file(arguments.file);
    }
    const T1Template problem = read_t1(arguments.input);
    for (const std::string& note : problem.notes) {
        print_error(fmt::format("jitune: {}: {}\n", arguments.input, note));
    }
    return kernel_from_text(problem.name, problem.text, problem.folder);
}

/// A T1 problem has one size of 1, as t1_template() makes it.
Problem problem_of(const Arguments& arguments, const KernelTemplate& kernel) {
    return kernel_problem(kernel,
                          arguments.input.empty() ? parse_kernel_sizes(kernel, arguments.sizes)
                                                  : std::vector<std::int64_t>{1},
                          parse_kernel_types(arguments.types));
}

Options options_of(const Arguments& arguments) {
    Options options = arguments.options();
    options.strategy = arguments.strategy;
    options.seed = parse_seed(arguments.seed);
    return options;
}

/// The best of the recorded results, if a file of them was named.
std::vector<std::string> hints_of(const Arguments& arguments, const Task& task) {
    if (arguments.from.empty()) {
        return {};
    }
    const std::string source = "--from " + arguments.from;
    std::vector<std::string> hints = Hints(source, read_recorded(arguments.from)).for_task(task);
    if (hints.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: no configuration that worked there is legal here", source));
    }
    return hints;
}

/// Searches and stores, and shows how far the search is.
TuneReport search(const Arguments& arguments, const Options& options, Engine& engine,
                  const Task& task, const std::string& name, const std::atomic<bool>& stop) {
    SearchPlan plan;
    plan.strategy = options.strategy;
    plan.seed = options.seed;
    plan.budget = options.budget;
    plan.max_evaluations = arguments.evaluations;
    plan.hints = hints_of(arguments, task);
    refuse_unwritable(options);
    if (!arguments.json) {
        print(fmt::format("{} on {} ({}), {}, strategy {}\n", name, task.info().id,
                          task.info().name, task.device.compiler(), options.strategy));
    }
    busy_devices({&task.device}, engine.log());
    Watch watch(task.info().id, name, options);
    TuneHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const TuneProgress& progress) { watch(progress); };
    return engine.tune_and_store(task, plan, hooks);
}

int run(const Arguments& arguments) {
    const Kernel kernel = kernel_of(arguments);
    const Problem problem = problem_of(arguments, kernel.kernel_template);
    const Options options = options_of(arguments);
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    const Task task{device_for(engine, kernel.kernel_template, arguments.device), kernel, problem};
    const std::string name = fmt::format("{} {}", problem.kernel, task.sizes());
    const Interrupt interrupt;
    const TuneReport report = search(arguments, options, engine, task, name, interrupt.requested());
    TuneResult result = describe(arguments, task, report);
    result.strategy = options.strategy;
    result.database = options.database.string();
    result.stored = report.stored && !options.database.empty();
    result.kept = report.kept;
    result.interrupted = interrupt.requested();
    if (arguments.json) {
        print_json(tune_json(result));
    } else {
        print(tune_text(result));
    }
    return result.interrupted ? kExitInterrupted : result.lacks_winner() ? kExitStore : kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"FILE", &given.file, "Kernel template: a .cu or .host.cpp file"},
        {"--input", &given.input,
         "Tune this problem in the community's T1 JSON format, in place of FILE"},
        {"--from", &given.from,
         "Recorded results, T4 JSON or a cache of Kernel Tuner, whose best are tried first"},
        {"--size", &given.sizes, "A size of the problem, NAME=SIZE, as in n=2^24; give each"},
        {"--type", &given.types,
         "A type of the problem, NAME=TYPE, as in element=float32; give each that has several"},
        device_option(&given.device, "host, cuda or cuda:N [of the template's platform]"),
        strategy_option(
            &given.strategy,
            fmt::format("Search strategy, listed by jitune --help [{}]", given.strategy)),
        given.budget_option("Seconds to try candidates; 0: no limit [JITUNE_BUDGET, else 2]"),
        {"--evaluations",
         &given.evaluations,
         "Most candidates to try; 0: no limit [0]",
         {.range = kEvaluations}},
        {"--seed", &given.seed, "Seed of strategies that draw at random [0]"},
        given.hang_limit_option(),
        given.isolation_option(),
        given.database_option(),
        given.log_option(),
        given.json_option()};
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::tune_command
