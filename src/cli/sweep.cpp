#include "cli/sweep.hpp"

#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/hints.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/sizes.hpp"
#include "cli/sweep_target.hpp"
#include "ops/reduce_kernel.hpp"
#include "strategy/strategy.hpp"

namespace jitune {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One sweep under way: tunes problem after problem and shows each as it finishes.
class Sweep {
public:
    Sweep(const SweepArguments& arguments, const Options& options, SweepPlan plan)
        : plan_(std::move(plan)),
          json_(arguments.json),
          target_(parse_target(arguments.target)),
          evaluations_(arguments.evaluations),
          hints_(arguments.from.empty() ? Hints() : Hints(arguments.from)),
          session_(options),
          backend_(session_.engine().backend(arguments.device)),
          table_(plan_) {
        if (!options.database.empty()) {
            // Apps go on without a database; a sweep that cannot keep what it finds must not begin.
            TuningStore::open(options.database, TuningStore::Access::read_write,
                              Log(options.log_level, options.log_sink));
        }
        const DeviceInfo& device = backend_.info();
        result_.kernel = plan_.kernel;
        result_.settings = plan_.settings;
        result_.device = device.id;
        result_.device_name = device.name;
        result_.compiler = backend_.compiler();
        result_.strategy = options.strategy;
        result_.seed = options.seed;
        result_.budget_s = std::chrono::duration<double>(options.budget).count();
        result_.database = options.database.string();
        result_.problems = plan_.problems.size();
    }

    const SweepResult& run() {
        const auto start = Clock::now();
        std::string settings;
        for (const auto& [name, value] : plan_.settings.items()) {
            settings += value.get<std::string>() + ", ";
        }
        show(fmt::format("{} on {} ({}), {}, {}strategy {}\n", plan_.kernel, result_.device,
                         result_.device_name, result_.compiler, settings, result_.strategy));
        show(table_.header());
        for (const SweepProblem& problem : plan_.problems) {
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

    TuneOptions tune_options(const SweepProblem& problem) {
        const Options& options = session_.engine().options();
        SweepState state;
        state.problem = result_.rows.size();
        state.problems = plan_.problems.size();
        state.name = problem.name;
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
    SweepRow tune(const SweepProblem& problem) {
        SweepRow row;
        row.problem = problem;
        const auto start = Clock::now();
        try {
            const Kernel& kernel = problem.kernel(platform_of(backend_));
            TuneOptions options = tune_options(problem);
            options.hints =
                hints_.for_problem(kernel.kernel_template, problem.problem, backend_.info());
            const TuneReport report = session_.engine().tune_and_store(
                backend_, kernel, problem.problem, std::move(options));
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

    const SweepPlan plan_;
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

Options sweep_options(const SweepArguments& arguments) {
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

std::string strategy_names() {
    std::string names;
    for (const StrategyEntry& row : strategies()) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    return names;
}

}  // namespace

int run_sweep(const SweepArguments& arguments, SweepPlan plan) {
    Sweep sweep(arguments, sweep_options(arguments), std::move(plan));
    const SweepResult& result = sweep.run();
    if (arguments.json) {
        print_json(sweep_json(result));
    } else {
        print(sweep_summary(result));
    }
    return sweep_exit_code(result);
}

void SweepArguments::add(CLI::App& app) {
    app.add_option("--device", device, "auto, host, cuda or cuda:N [auto]");
    app.add_option("--strategy", strategy, fmt::format("Of {} [{}]", strategy_names(), strategy));
    app.add_option("--budget", budget,
                   "Seconds for each problem; 0: no limit [JITUNE_BUDGET, else 2]");
    app.add_option("--seed", seed, "For strategies that draw at random [0]");
    app.add_option("--evaluations", evaluations,
                   "The most configurations for each problem; 0: no limit [0]")
        ->check(kEvaluations);
    app.add_option("--target", target,
                   "When to be content: a time as in 12.5us, or a speed-up over the template's "
                   "default as in 1.5x");
    app.add_option("--from", from,
                   "Recorded results, T4 JSON, whose best configurations are tried first");
    app.add_option("--hang-limit", hang_limit,
                   "Seconds that checking or timing a candidate may take [60]");
    app.add_flag("--no-isolation", no_isolation,
                 "Tune in this process, which a bad candidate then takes down");
    add_database(app);
    add_log(app);
    add_json(app);
}

}  // namespace jitune
