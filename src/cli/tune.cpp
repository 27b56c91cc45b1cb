#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/sizes.hpp"
#include "cli/t1.hpp"
#include "cli/tune_result.hpp"
#include "ops/kernel_file.hpp"
#include "strategy/strategy.hpp"

namespace jitune {

namespace {

using Clock = std::chrono::steady_clock;

struct Arguments : CommonArguments {
    std::string file;
    std::string input;
    std::vector<std::string> sizes;
    std::vector<std::string> types;
    std::string device = "auto";
    std::string strategy = Options{}.strategy;
    std::string seed = "0";
    std::size_t evaluations = 0;
};

/// "n=2^24" in two.
std::pair<std::string, std::string> assignment(const char* option, const std::string& word) {
    const auto sign = word.find('=');
    if (sign == 0 || sign == std::string::npos || sign + 1 == word.size()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: \"{}\" is no NAME=VALUE, as in n=2^24", option, word));
    }
    return {word.substr(0, sign), word.substr(sign + 1)};
}

/// In the template's order.
std::vector<std::int64_t> sizes_of(const KernelTemplate& kernel,
                                   const std::vector<std::string>& words) {
    const std::vector<std::string>& names = kernel.front_matter().sizes;
    std::map<std::string, std::int64_t> given;
    for (const std::string& word : words) {
        const auto [name, value] = assignment("--size", word);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            throw Error(ErrorKind::usage,
                        fmt::format("--size: {} has no size \"{}\"; its sizes are {}",
                                    kernel.source().name, name, fmt::join(names, ", ")));
        }
        if (!given.emplace(name, parse_size(value)).second) {
            throw Error(ErrorKind::usage, fmt::format("--size: {} is given twice", name));
        }
    }
    std::vector<std::int64_t> sizes;
    for (const std::string& name : names) {
        const auto found = given.find(name);
        if (found == given.end()) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} needs --size {}=…; its sizes are {}", kernel.source().name,
                                    name, fmt::join(names, ", ")));
        }
        sizes.push_back(found->second);
    }
    return sizes;
}

std::map<std::string, std::string> types_of(const std::vector<std::string>& words) {
    std::map<std::string, std::string> types;
    for (const std::string& word : words) {
        const auto [name, value] = assignment("--type", word);
        types[name] = value;
    }
    return types;
}

Backend& backend_for(Engine& engine, const KernelTemplate& kernel, const std::string& device) {
    const std::string& wanted = kernel.front_matter().backend;
    Backend& backend = engine.backend(device == "auto" ? wanted : device);
    if (!backend.info().id.starts_with(wanted)) {
        throw Error(ErrorKind::usage, fmt::format("{} is a template for {}, not for {}",
                                                  kernel.source().name, wanted, backend.info().id));
    }
    return backend;
}

TuneResult describe(const Arguments& arguments, const KernelTemplate& kernel,
                    const Problem& problem, Backend& backend, const TuneReport& report) {
    const FrontMatter& front = kernel.front_matter();
    TuneResult result;
    result.file = arguments.input.empty() ? arguments.file : arguments.input;
    result.kernel = front.kernel;
    result.device = backend.info().id;
    result.device_name = backend.info().name;
    result.compiler = backend.compiler();
    for (std::size_t i = 0; i < front.sizes.size(); ++i) {
        result.sizes.emplace_back(front.sizes[i], problem.sizes[i]);
    }
    result.types = {problem.types.begin(), problem.types.end()};
    result.winner = report.winner;
    result.progress = report.progress;
    const auto winner = Configuration::parse(report.winner.configuration, front.parameters);
    result.metrics =
        kernel.metrics(problem, backend.info(), winner, report.winner.median_ns * 1e-9);
    if (report.winner.default_median_ns > 0) {
        const auto standard = kernel.default_configuration(kernel.space(problem, backend.info()));
        result.before = kernel.metrics(problem, backend.info(), standard,
                                       report.winner.default_median_ns * 1e-9);
    }
    result.arguments = static_cast<std::size_t>(
        std::count_if(front.arguments.begin(), front.arguments.end(),
                      [](const ArgumentSpec& one) { return is_given(one.access); }));
    return result;
}

/// Shows how far the search is.
class Watch {
public:
    Watch(std::string name, const Options& options) {
        state_.problems = 1;
        state_.name = std::move(name);
        state_.budget_s = std::chrono::duration<double>(options.budget).count();
    }
    void operator()(const TuneProgress& progress) {
        state_.tune = progress;
        state_.elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
        shown_.show(state_);
    }

private:
    SweepState state_;
    Clock::time_point start_ = Clock::now();
    Progress shown_;
};

int run(const Arguments& arguments) {
    const Kernel kernel = kernel_from_file(arguments.file);
    const KernelTemplate& source = kernel.kernel_template;
    const Problem problem =
        kernel_problem(source, sizes_of(source, arguments.sizes), types_of(arguments.types));
    Options options = arguments.options();
    options.strategy = arguments.strategy;
    options.seed = parse_seed(arguments.seed);
    Session session(options);
    Backend& backend = backend_for(session.engine(), source, arguments.device);
    if (!options.database.empty()) {  // what cannot be kept must not be looked for
        TuningStore::open(options.database, TuningStore::Access::read_write,
                          Log(options.log_level, options.log_sink));
    }
    const std::string name =
        fmt::format("{} {}", problem.kernel, sizes_text(problem, source.front_matter().sizes));
    if (!arguments.json) {
        print(fmt::format("{} on {} ({}), {}, strategy {}\n", name, backend.info().id,
                          backend.info().name, backend.compiler(), options.strategy));
    }
    const Interrupt interrupt;
    TuneOptions how;
    how.strategy = options.strategy;
    how.seed = options.seed;
    how.budget = options.budget;
    how.max_evaluations = arguments.evaluations;
    how.stop = &interrupt.requested();
    TuneReport report;
    {
        Watch watch(name, options);
        how.progress = [&](const TuneProgress& progress) { watch(progress); };
        report = session.engine().tune_and_store(backend, kernel, problem, how);
    }
    TuneResult result = describe(arguments, source, problem, backend, report);
    result.strategy = options.strategy;
    result.database = options.database.string();
    result.store_failed = session.counters().store_errors > 0;
    result.interrupted = interrupt.requested();
    if (arguments.json) {
        print_json(tune_json(result));
    } else {
        print(tune_text(result));
    }
    return result.interrupted ? kExitInterrupted : result.store_failed ? kExitStore : kExitOk;
}

}  // namespace

Action add_tune(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    app.add_option("FILE", arguments->file, "A kernel template: a .cu or .host.cpp file");
    app.add_option("--input", arguments->input,
                   "In place of FILE: a problem in the community's T1 JSON format");
    app.add_option("--size", arguments->sizes, "NAME=SIZE for each size, as in n=2^24")
        ->allow_extra_args(false);
    app.add_option("--type", arguments->types,
                   "NAME=TYPE for each type parameter that has several, as in element=float32")
        ->allow_extra_args(false);
    app.add_option("--device", arguments->device, "host, cuda or cuda:N [the template's]");
    app.add_option("--strategy", arguments->strategy,
                   fmt::format("A row of the strategy table [{}]", arguments->strategy));
    app.add_option("--budget", arguments->budget,
                   "Seconds for trying candidates; 0: no limit [JITUNE_BUDGET, else 2]");
    app.add_option("--evaluations", arguments->evaluations,
                   "Candidates to try at most; 0: no limit [0]");
    app.add_option("--seed", arguments->seed, "For strategies that draw at random [0]");
    arguments->add_database(app);
    arguments->add_log(app);
    arguments->add_json(app);
    return [arguments] { return run(*arguments); };
}

}  // namespace jitune
