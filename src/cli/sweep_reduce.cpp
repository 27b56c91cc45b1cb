#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/hints.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/reduce_words.hpp"
#include "cli/sizes.hpp"
#include "cli/sweep_problems.hpp"
#include "cli/sweep_result.hpp"
#include "cli/sweep_target.hpp"
#include "ops/reduce_kernel.hpp"
#include "strategy/strategy.hpp"

namespace jitune {

namespace {

using Clock = std::chrono::steady_clock;

struct Arguments : CommonArguments {
    SweepWords problems;
    std::string device = "auto";
    std::string strategy = Options{}.strategy;
    std::string seed = "0";
    std::size_t evaluations = 0;
    std::string target;
    std::string from;
    std::string hang_limit;
    bool no_isolation = false;
};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One sweep under way: tunes problem after problem and shows each as it finishes.
class Sweep {
public:
    Sweep(const Arguments& arguments, const Options& options,
          std::vector<detail::ReduceRequest> problems)
        : problems_(std::move(problems)),
          json_(arguments.json),
          target_(parse_target(arguments.target)),
          evaluations_(arguments.evaluations),
          hints_(arguments.from.empty() ? Hints() : Hints(arguments.from)),
          session_(options),
          backend_(session_.engine().backend(arguments.device)),
          table_(problems_) {
        if (!options.database.empty()) {
            // Apps go on without a database; a sweep that cannot keep what it finds must not begin.
            TuningStore::open(options.database, TuningStore::Access::read_write,
                              Log(options.log_level, options.log_sink));
        }
        const DeviceInfo& device = backend_.info();
        result_.device = device.id;
        result_.device_name = device.name;
        result_.compiler = backend_.compiler();
        result_.determinism = arguments.problems.determinism;
        result_.strategy = options.strategy;
        result_.seed = options.seed;
        result_.budget_s = std::chrono::duration<double>(options.budget).count();
        result_.database = options.database.string();
        result_.problems = problems_.size();
    }

    const SweepResult& run() {
        const auto start = Clock::now();
        show(fmt::format("reduce on {} ({}), {}, {}, strategy {}\n", result_.device,
                         result_.device_name, result_.compiler, result_.determinism,
                         result_.strategy));
        show(table_.header());
        for (const detail::ReduceRequest& problem : problems_) {
            if (interrupt_.requested()) {
                break;
            }
            result_.rows.push_back(tune(problem));
            progress_.clear();
            show(table_.line(result_.rows.back()));
        }
        result_.interrupted = interrupt_.requested();
        result_.store_errors = session_.counters().store_errors;
        result_.seconds = seconds_since(start);
        return result_;
    }

private:
    void show(const std::string& text) const {
        if (!json_) {
            print(text);
        }
    }

    TuneOptions tune_options(const detail::ReduceRequest& problem) {
        const Options& options = session_.engine().options();
        SweepState state;
        state.problem = result_.rows.size();
        state.problems = problems_.size();
        state.name = problem_text(problem);
        state.finished_s = finished_s_;
        state.budget_s = result_.budget_s;
        const auto start = Clock::now();
        return {.strategy = options.strategy,
                .seed = options.seed,
                .budget = options.budget,
                .max_evaluations = evaluations_,
                .target_ns = target_.time_ns,
                .target_speed_up = target_.speed_up,
                .stop = &interrupt_.requested(),
                .progress = [this, state, start](const TuneProgress& progress) mutable {
                    state.tune = progress;
                    state.elapsed_s = seconds_since(start);
                    progress_.show(state);
                }};
    }

    /// A problem that cannot be had (memory) or solved is a row like others; a device that is lost
    /// for this very process is not.
    SweepRow tune(const detail::ReduceRequest& problem) {
        SweepRow row;
        row.problem = problem;
        const auto start = Clock::now();
        try {
            const std::string_view platform = platform_of(backend_);
            const Kernel& kernel = reduce_kernel(problem.shape.kind, platform);
            TuneOptions options = tune_options(problem);
            options.hints = hints_.for_problem(kernel.kernel_template, reduce_problem(problem),
                                               backend_.info());
            const TuneReport report = session_.engine().tune_and_store(
                backend_, kernel, reduce_problem(problem), std::move(options));
            row.configuration = report.winner.configuration;
            row.median_ns = report.winner.median_ns;
            row.noise = report.winner.noise;
            row.default_median_ns = report.winner.default_median_ns;
            row.certainty = report.winner.certainty;
            row.complete = report.winner.complete;
            row.tune = report.progress;
        } catch (const Error& error) {
            const bool ours =
                error.kind() == ErrorKind::device && session_.engine().options().worker == "none";
            if (ours ||
                (error.kind() != ErrorKind::unavailable && error.kind() != ErrorKind::verify &&
                 error.kind() != ErrorKind::compile && error.kind() != ErrorKind::device)) {
                throw;
            }
            row.outcome = error.kind() == ErrorKind::unavailable ? SweepRow::Outcome::skipped
                                                                 : SweepRow::Outcome::failed;
            row.note = error.what();
        } catch (const std::bad_alloc&) {
            row.outcome = SweepRow::Outcome::skipped;
            row.note = "not enough memory";
        }
        finished_s_ += seconds_since(start);
        return row;
    }

    const std::vector<detail::ReduceRequest> problems_;
    const bool json_;
    const SweepTarget target_;
    const std::size_t evaluations_;
    const Hints hints_;
    Session session_;
    Backend& backend_;
    const SweepTable table_;
    const Interrupt interrupt_;
    Progress progress_;
    SweepResult result_;
    double finished_s_ = 0;
};

Options sweep_options(const Arguments& arguments) {
    Options options = arguments.options();
    options.strategy = arguments.strategy;
    options.seed = parse_seed(arguments.seed);
    if (!arguments.hang_limit.empty()) {
        options.hang_limit = parse_limit(arguments.hang_limit);
    }
    if (arguments.no_isolation) {
        options.worker = "none";
    }
    return options;
}

int run(const Arguments& arguments) {
    auto wanted = sweep_problems(arguments.problems);
    Sweep sweep(arguments, sweep_options(arguments), std::move(wanted));
    const SweepResult& result = sweep.run();
    if (arguments.json) {
        print_json(sweep_json(result));
    } else {
        print(sweep_summary(result));
    }
    return sweep_exit_code(result);
}

std::string strategy_names() {
    std::string names;
    for (const StrategyEntry& row : strategies()) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

void add_problems(CLI::App& app, SweepWords& words) {
    app.add_option("--types", words.types, "Element types by comma, or all [float32]");
    app.add_option("--ops", words.ops, fmt::format("Of {}, by comma, or all [sum]", named_ops()));
    app.add_option("--result", words.result, "Type of the result [the operation's own]");
    app.add_option("--determinism", words.determinism, "run_to_run or any [run_to_run]");
    app.add_option("--shape", words.shape, "all, rows, columns or segments [all]");
    app.add_option("--sizes", words.sizes,
                   "As in 1000,2^20+7 or 2^10..2^28, which doubles; for other shapes as in "
                   "1024x65536,2^20x2^6, rows x columns or segments x elements "
                   "[2^10..2^28, or matrices of 2^26]");
}

}  // namespace

Action add_sweep_reduce(CLI::App& app) {
    auto arguments = std::make_shared<Arguments>();
    add_problems(app, arguments->problems);
    app.add_option("--device", arguments->device, "auto, host, cuda or cuda:N [auto]");
    app.add_option("--strategy", arguments->strategy,
                   fmt::format("Of {} [{}]", strategy_names(), arguments->strategy));
    app.add_option("--budget", arguments->budget,
                   "Seconds for each problem; 0: no limit [JITUNE_BUDGET, else 2]");
    app.add_option("--seed", arguments->seed, "For strategies that draw at random [0]");
    app.add_option("--evaluations", arguments->evaluations,
                   "The most configurations for each problem; 0: no limit [0]")
        ->check(kEvaluations);
    app.add_option("--target", arguments->target,
                   "When to be content: a time as in 12.5us, or a speed-up over the template's "
                   "default as in 1.5x");
    app.add_option("--from", arguments->from,
                   "Recorded results, T4 JSON, whose best configurations are tried first");
    app.add_option("--hang-limit", arguments->hang_limit,
                   "Seconds that checking or timing a candidate may take [60]");
    app.add_flag("--no-isolation", arguments->no_isolation,
                 "Tune in this process, which a bad candidate then takes down");
    arguments->add_database(app);
    arguments->add_log(app);
    arguments->add_json(app);
    return [arguments] { return run(*arguments); };
}

}  // namespace jitune
