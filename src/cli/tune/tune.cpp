// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>

#include <fmt/ranges.h>

#include "cli/app/common_options.hpp"
#include "cli/app/interrupt.hpp"
#include "cli/app/progress.hpp"
#include "cli/families/kernel_arguments.hpp"
#include "cli/families/sizes.hpp"
#include "cli/families/template_arguments.hpp"
#include "cli/formats/foreign_results.hpp"
#include "cli/formats/t1.hpp"
#include "cli/tune/tune_result.hpp"
#include "dispatch/session_access.hpp"
#include "families/own/call_capture.hpp"
#include "space/restriction.hpp"
#include "sweep/hints.hpp"
#include "sweep/sweep.hpp"
#include "tuning/finals/finalist_study.hpp"
#include "tuning/search/candidate_set.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"

namespace jitune::internal::tune_command {

namespace {

/// What the arguments of `jitune tune` ask of a search, beside Options.
struct TuneWishes {
    std::string from;                ///< file of recorded results
    std::vector<std::string> first;  ///< configurations, see parse_configuration()
    std::vector<std::string> only;   ///< restrictions, see restricted_parameters()
    std::size_t evaluations = 0;
    bool again = false;
};

/// Calls `read`. Errors name the option.
template <class Read>
auto of_option(const char* option, Read read) {
    try {
        return read();
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", option, error.what()));
    }
}

/// The best of the recorded results, if a file of them was named.
std::vector<std::string> hints_of(const std::string& from, const Task& task) {
    if (from.empty()) {
        return {};
    }
    const std::string source = "--from " + from;
    std::vector<std::string> hints = Hints(source, read_recorded(from)).for_task(task);
    if (hints.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: no configuration that worked there is legal here", source));
    }
    return hints;
}

std::vector<std::string> first_of(const TuneWishes& wishes, const Task& task) {
    std::vector<std::string> first;
    for (const std::string& text : wishes.first) {
        first.push_back(of_option("--first", [&] {
                            return parse_configuration(text, task.kernel_template(), task.problem,
                                                       task.info());
                        }).text());
    }
    if (!first.empty() && !wishes.only.empty()) {
        const SearchSpace part = restricted_space(task.space(), wishes.only);
        for (const std::string& text : first) {
            if (part.find(task.parse(text)) == part.size()) {
                throw Error(ErrorKind::usage,
                            fmt::format("--first: configuration \"{}\" is left out by --only {}",
                                        text, fmt::join(wishes.only, " --only ")));
            }
        }
    }
    return first;
}

/// Throws Error(usage) that names the option, for what the task's space does not have.
SearchPlan tune_plan(const TuneWishes& wishes, const Options& options, const Task& task) {
    SearchPlan plan;
    plan.strategy = options.strategy;
    plan.seed = options.seed;
    plan.budget = options.budget;
    plan.max_evaluations = wishes.evaluations;
    plan.anew = wishes.again;
    if (!wishes.only.empty()) {
        of_option("--only", [&] { return restricted_space(task.space(), wishes.only); });
        plan.only = wishes.only;
    }
    plan.first = first_of(wishes, task);
    plan.hints = hints_of(wishes.from, task);
    return plan;
}

struct Arguments : CommonArguments, TemplateArguments {
    std::string capture;
    std::string device;
    std::string strategy = Options{}.strategy;
    std::string seed = "0";
    std::string keep;
    std::string objective = "time";
    bool counters = false;
    std::optional<std::int64_t> finalists;
    TuneWishes wishes;
};

Problem problem_of(const Arguments& arguments, const KernelTemplate& kernel) {
    if (!arguments.capture.empty()) {
        return read_capture(arguments.capture, kernel).problem;
    }
    return kernel_problem(
        kernel, arguments.is_t1() ? kT1Sizes : parse_kernel_sizes(kernel, arguments.sizes),
        parse_kernel_types(arguments.types));
}

Options options_of(const Arguments& arguments) {
    Options options = arguments.options();
    options.strategy = arguments.strategy;
    options.seed = parse_seed(arguments.seed);
    return options;
}

/// Searches and stores, and shows how far the search is.
TuneReport search(const Arguments& arguments, const SearchPlan& plan, Engine& engine,
                  const Task& task, TuneWatch& watch, const std::atomic<bool>& stop) {
    refuse_unwritable(engine.options());
    if (!arguments.json) {
        print(fmt::format("{} on {} ({}), {}, strategy {}\n", watch.name(), task.info().id,
                          task.info().name, task.device.compiler(), plan.strategy));
    }
    busy_devices({&task.device}, engine.log());
    TuneHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const TuneProgress& progress) { watch(progress); };
    TuneReport report = engine.tuner().tune(task, plan, hooks);
    watch.clear();
    return report;
}

TriedCandidates tried_of(const Task& task, const SearchPlan& plan, const TuneReport& report,
                         const TuneWatch& watch, bool interrupted) {
    TriedCandidates tried = tried_candidates(task, plan, report);
    tried.left_s = watch.seconds_left();
    tried.is_counted_out = plan.max_evaluations > 0 && tried.tried >= plan.max_evaluations;
    tried.interrupted = interrupted;
    return tried;
}

bool is_left_out(const Task& task, const SearchPlan& plan, const std::string& configuration) {
    const SearchSpace space = task.space();
    const CandidateSet candidates(space, plan.only);
    const std::size_t index = candidates.find_in_space(configuration);
    return index < space.size() && !candidates.holds(index);
}

/// The command that tunes the problem, without the options of the search.
std::vector<std::string> command_of(const Arguments& arguments, const Task& task) {
    std::vector<std::string> words{"tune"};
    if (arguments.input.empty()) {
        words.push_back(std::filesystem::absolute(arguments.file).string());
    } else {
        words.insert(words.end(), {"--input", std::filesystem::absolute(arguments.input).string()});
    }
    for (const std::string& size : arguments.sizes) {
        words.insert(words.end(), {"--size", size});
    }
    for (const std::string& type : arguments.types) {
        words.insert(words.end(), {"--type", type});
    }
    for (const std::string& option : arguments.compile_options) {
        words.push_back("--option=" + option);
    }
    if (!arguments.capture.empty()) {
        const auto folder = std::filesystem::absolute(arguments.capture);
        words.insert(words.end(), {"--from-capture", folder.string()});
    }
    words.insert(words.end(), {"--device", task.info().id});
    return words;
}

/// Refuses, before anything is tuned, what has no effect and what the device cannot measure.
FinalistWishes finalist_wishes(const Arguments& arguments, const Task& task) {
    FinalistWishes wishes;
    wishes.objective = Objective::parse(arguments.objective, task.kernel_template().front_matter());
    wishes.counters = arguments.counters;
    wishes.quiet = arguments.json;
    if (arguments.finalists) {
        if (!wishes.any()) {
            throw Error(ErrorKind::usage,
                        "--finalists is the number of candidates that --counters reads, or that an "
                        "--objective other than time chooses from: give one of these, or leave "
                        "--finalists out");
        }
        wishes.count = static_cast<std::size_t>(*arguments.finalists);
    }
    if (wishes.objective.needs_energy(task)) {
        refuse_without_energy(task.device);
    }
    return wishes;
}

struct Study {
    std::optional<ObjectiveResult> result;
    ExitCode failure = kExitOk;
};

/// The tuning's own result is stored already: if the study fails, that result is shown all the
/// same.
Study study_after(const FinalistWishes& wishes, Engine& engine, const Task& task,
                  const SearchPlan& plan, const std::atomic<bool>& stop, TuneReport& report) {
    Study study;
    if (!wishes.any() || stop) {
        return study;
    }
    TuneHooks hooks;
    hooks.stop = &stop;
    try {
        study.result = study_tuned(wishes, engine, task, plan, hooks, report);
        if (!study.result && !stop) {
            print_error("jitune: no configuration is left to measure; the winner by time stays\n");
            study.failure = exit_code(ErrorKind::device);
        }
    } catch (const Error& error) {
        print_error(fmt::format("jitune: {}; the winner by time stays\n", error.what()));
        study.failure = exit_code(error.kind());
    }
    return study;
}

int run(Arguments& arguments) {
    arguments.look_into_file(arguments.capture);
    const Kernel kernel = kernel_of(arguments, arguments.capture);
    const Problem problem = problem_of(arguments, kernel.kernel_template);
    const Options options = options_of(arguments);
    Session session(options);
    Engine& engine = SessionAccess::engine(session);
    const Task task{device_for(engine, kernel.kernel_template, arguments.device,
                               "jitune check finds mistakes in a template without a device"),
                    kernel, problem};
    SearchPlan plan = tune_plan(arguments.wishes, options, task);
    plan.anew = plan.anew || !arguments.capture.empty();  // what is stored was seen on other data
    std::optional<KeptPrograms> programs;  // before the tuning, whose end is too late for a refusal
    if (!arguments.keep.empty()) {
        programs.emplace(arguments.keep);
    }
    const FinalistWishes wishes = finalist_wishes(arguments, task);
    TuneWatch watch(task.info().id, fmt::format("{} {}", problem.kernel, task.sizes()), options);
    const Interrupt interrupt;
    TuneReport report = search(arguments, plan, engine, task, watch, interrupt.requested());
    Study study = study_after(wishes, engine, task, plan, interrupt.requested(), report);
    TuneResult result{.task = task,
                      .file = arguments.path(),
                      .strategy = options.strategy,
                      .database = options.database.string(),
                      .report = std::move(report),
                      .is_left_out = false,
                      .tried = {},
                      .objective = std::move(study.result)};
    result.is_left_out = is_left_out(task, plan, result.winner().configuration);
    if (programs) {
        result.sources =
            keep_tuned(*programs, task, plan, result.report, command_of(arguments, task));
    }
    result.tried = tried_of(task, plan, result.report, watch, interrupt.requested());
    print_either(arguments.json, tune_json(result), tune_text(result));
    return result.tried.interrupted ? kExitInterrupted
           : result.lacks_winner()  ? kExitStore
                                    : study.failure;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        given.file_option(),
        given.input_option(),
        {"--first", &given.wishes.first,
         "A configuration to try first, as in \"block=256 pack=4\"; what it leaves out is as in "
         "the default"},
        {"--only", &given.wishes.only,
         "Values to restrict the search to, NAME=VALUE,VALUE or NAME=LEAST..MOST"},
        {"--from", &given.wishes.from,
         "Recorded results, T4 JSON or a cache of Kernel Tuner, whose best are tried first"},
        {"--again", &given.wishes.again,
         "Measure anew what earlier tunings have measured, instead of going on where they ended"},
        given.size_option("; give each"),
        given.type_option("; give each that has several"),
        {"--from-capture",
         &given.capture,
         "A captured call: tune at its sizes and types, on its data",
         {.excludes = {"--input", "--size", "--type"}}},
        {"--objective", &given.objective,
         "What the winner is to be best at: time, energy, edp (energy times time) or a metric of "
         "the template [time]"},
        {"--finalists",
         &given.finalists,
         "How many of the fastest --objective chooses from, and --counters reads [5]",
         {.range = {{2, 64}}}},
        {"--counters", &given.counters,
         "Read hardware counters of the fastest: throughputs, occupancy, stalls"},
        given.compile_option(),
        device_option(&given.device, "host, cuda or cuda:N [of the template's platform]"),
        {"--keep", &given.keep,
         "A folder for sources and binaries of the winner, the default and --first, for profilers"},
        strategy_option(
            &given.strategy,
            fmt::format("Search strategy, listed by jitune --help [{}]", given.strategy)),
        given.budget_option("Seconds to try candidates; 0: no limit [JITUNE_BUDGET, else 2]"),
        {"--evaluations",
         &given.wishes.evaluations,
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
