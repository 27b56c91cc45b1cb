// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "cli/app/common_options.hpp"
#include "cli/formats/foreign_results.hpp"
#include "strategy/recorded_space.hpp"
#include "strategy/strategy.hpp"
#include "support/thread_pool.hpp"

namespace jitune::internal::replay_command {

namespace {

/// A run is near if its best time is within 5 % of the best time recorded.
constexpr double kNear = 1.05;
constexpr std::size_t kMostEvaluations =
    100'000'000;  // of all runs together, because each takes memory

struct Arguments {
    std::string file;
    std::string strategy = "auto";
    std::size_t budget = 100;
    std::size_t repeats = 100;
    std::size_t batch = 1;
    std::uint64_t seed = 0;
    bool json = false;
};

using Runs = std::vector<std::vector<double>>;

/// One run per seed, from `seed` on, on all processors. A run is the ratio of its best time so far
/// to the best time recorded, after each evaluation.
Runs replay_all(const RecordedSpace& recorded, const Arguments& arguments) {
    make_strategy(arguments.strategy, recorded.space(), 0);  // an unknown name fails here
    Runs runs(arguments.repeats);
    std::atomic<std::size_t> next{0};
    ThreadPool().run(std::max(1U, std::thread::hardware_concurrency()), [&](std::size_t) {
        for (std::size_t i = next++; i < runs.size(); i = next++) {
            runs[i] = replay(recorded, arguments.strategy, arguments.seed + i, arguments.budget,
                             arguments.batch);
        }
    });
    return runs;
}

/// The q-quantile; between two values, their mean.
double quantile(std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    const double place = q * static_cast<double>(values.size() - 1);
    const double low = values[static_cast<std::size_t>(std::floor(place))];
    const double high = values[static_cast<std::size_t>(std::ceil(place))];
    return low == high ? low : (low + high) / 2;
}

std::vector<double> ratios_after(const Runs& runs, std::size_t evaluations) {
    std::vector<double> ratios;
    for (const std::vector<double>& run : runs) {
        ratios.push_back(run[std::min(evaluations, run.size()) - 1]);
    }
    return ratios;
}

/// The median over the runs of the evaluations until a run is near the best; infinite if the median
/// run never is.
double median_evaluations_until_near(const Runs& runs) {
    std::vector<double> counts;
    for (const std::vector<double>& run : runs) {
        const auto near =
            std::find_if(run.begin(), run.end(), [](double ratio) { return ratio <= kNear; });
        counts.push_back(near == run.end() ? std::numeric_limits<double>::infinity()
                                           : static_cast<double>(near - run.begin() + 1));
    }
    return quantile(counts, 0.5);
}

void refuse_too_many_evaluations(const RecordedSpace& recorded, const Arguments& arguments) {
    if (std::min(arguments.budget, recorded.space().size()) >
        kMostEvaluations / arguments.repeats) {
        throw Error(
            ErrorKind::usage,
            fmt::format("{} repeats with a budget of {} are more than {} evaluations: lower "
                        "--repeats or --budget",
                        arguments.repeats, arguments.budget, kMostEvaluations));
    }
}

Json runs_json(const RecordedSpace& recorded, const Runs& runs, const Arguments& arguments) {
    const std::vector<double> ratios = ratios_after(runs, arguments.budget);
    const double near = median_evaluations_until_near(runs);
    return {{"file", arguments.file},
            {"strategy", arguments.strategy},
            {"budget", arguments.budget},
            {"repeats", arguments.repeats},
            {"batch", arguments.batch},
            {"seed", arguments.seed},
            {"configurations", recorded.space().size()},
            {"median_ratio", json_number(quantile(ratios, 0.5))},
            {"quartile_ratios",
             {json_number(quantile(ratios, 0.25)), json_number(quantile(ratios, 0.75))}},
            {"median_evaluations_to_5_percent", std::isfinite(near) ? Json(near) : Json(nullptr)}};
}

std::string runs_text(const RecordedSpace& recorded, const Runs& runs, const Arguments& arguments) {
    const std::size_t most = std::min(arguments.budget, recorded.space().size());
    std::string text = fmt::format(
        "{}: {} configurations, best {:.6g} us\nstrategy {}, {} evaluations, {} at a time, "
        "{} repeats\n\nbest time found over best time recorded\nevaluations   median  quartiles\n",
        arguments.file, recorded.space().size(), recorded.best_ns() / 1e3, arguments.strategy, most,
        arguments.batch, arguments.repeats);
    for (const std::size_t part : {4U, 2U, 1U}) {
        const std::size_t evaluations = most / part;
        if (evaluations == 0) {
            continue;
        }
        const std::vector<double> ratios = ratios_after(runs, evaluations);
        text += fmt::format("{:>11}  {:>7.4f}  {:.4f} {:.4f}\n", evaluations, quantile(ratios, 0.5),
                            quantile(ratios, 0.25), quantile(ratios, 0.75));
    }
    const double near = median_evaluations_until_near(runs);
    return text + fmt::format("within 5 %: {} (median)\n",
                              std::isfinite(near) ? fmt::format("after {:g} evaluations", near)
                                                  : "not in the budget");
}

int run(const Arguments& arguments) {
    const RecordedSpace recorded = read_recorded(arguments.file);
    refuse_too_many_evaluations(recorded, arguments);
    const Runs runs = replay_all(recorded, arguments);
    print_either(arguments.json, runs_json(recorded, runs, arguments),
                 runs_text(recorded, runs, arguments));
    return kExitOk;
}

}  // namespace

Invocation invocation() {
    auto arguments = std::make_shared<Arguments>();
    Arguments& given = *arguments;
    std::vector<Option> options{
        {"FILE",
         &given.file,
         "Recorded results, T4 JSON or a cache of Kernel Tuner, plain or .gz",
         {.required = true}},
        strategy_option(&given.strategy, "One of the strategies [auto]"),
        {"--budget", &given.budget, "Evaluations in each run [100]", {.range = {{1, 1'000'000}}}},
        {"--repeats",
         &given.repeats,
         "Runs, each with its own seed [100]",
         {.range = {{1, 100'000}}}},
        {"--batch",
         &given.batch,
         "Configurations asked at a time [1]",
         {.range = {{1, 1'000'000}}}},
        {"--seed", &given.seed, "Of the first run [0]"},
        {"--json", &given.json, "One JSON document instead of text"}};
    return {std::move(options), [arguments] { return run(*arguments); }};
}

}  // namespace jitune::internal::replay_command
