// SPDX-License-Identifier: Apache-2.0
#include "worklist_measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "dispatch/engine.hpp"
#include "families/families.hpp"
#include "families/reduce/reduce_call.hpp"
#include "jitune/error.hpp"
#include "measure/statistics.hpp"
#include "support/temp_dir.hpp"
#include "sweep/work_order.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/isolation/worker_command.hpp"
#include "tuning/search/compile_ahead.hpp"
#include "worklist_replay.hpp"

namespace jitune::bench {

namespace {

using namespace jitune::internal;

class Measurer {
public:
    Measurer(const std::vector<TracedCall>& calls, std::string device, double budget_s,
             double brief_part)
        : calls_(calls), device_(std::move(device)) {
        measured_.budget_s = budget_s;
        measured_.brief_part = brief_part;
    }

    Measured run() {
        list();
        for (const Effort effort : {Effort::brief, Effort::full}) {
            tune(effort);
        }
        compare();
        return std::move(measured_);
    }

private:
    [[nodiscard]] Options options() const {
        Options options = Options::from_environment();
        options.database = folder_.path() / fmt::format("{}.db", databases_++);
        options.worker = kNoWorker;
        return options;
    }
    static Task task_of(const detail::ReduceRequest& request, Device& device) {
        return {device, reduce_kernel(request.shape.kind, device.info().platform),
                reduce_problem(request)};
    }
    /// The task of the first sizes of an item.
    [[nodiscard]] Task task_of(const MeasuredItem& one, Device& device) const {
        const CallRecord& first = one.item.misses.front();
        for (const TracedCall& call : calls_) {
            Task task = task_of(call.request, device);
            if (task.key() == first.key && task.sizes() == first.sizes) {
                return task;
            }
        }
        throw Error(ErrorKind::usage, first.sizes + " is not in the trace");
    }

    void list();
    void tune(Effort effort);
    void compare();
    [[nodiscard]] std::vector<std::string> answers(const MeasuredItem& one) const;

    const std::vector<TracedCall>& calls_;
    const std::string device_;
    const TempDir folder_;
    mutable int databases_ = 0;
    Measured measured_;
};

void Measurer::list() {
    Engine engine(options(), families());
    Device& device = engine.device(device_);
    measured_.device_name = device.info().name;
    std::vector<CallRecord> misses;
    for (const TracedCall& call : calls_) {
        const Task task = task_of(call.request, device);
        if (task.can_gain()) {
            CallRecord miss;
            miss.key = task.key();
            miss.sizes = task.sizes();
            miss.origin = "default";
            miss.configuration = task.default_configuration().text();
            miss.calls = call.calls;
            miss.sessions = 1;
            misses.push_back(std::move(miss));
        }
    }
    for (WorkItem& item : worklist(std::move(misses), {})) {
        measured_.items.push_back({std::move(item), {}, {}, {}});
    }
}

void Measurer::tune(Effort effort) {
    Engine engine(options(), families());
    Device& device = engine.device(device_);
    SearchPlan plan;
    plan.strategy = engine.options().strategy;
    plan.budget = std::chrono::milliseconds(static_cast<std::int64_t>(
        1000 * measured_.budget_s * (effort == Effort::brief ? measured_.brief_part : 1)));
    plan.compile_threads = CompileAhead::threads_for(1);
    // In random order: what one tuning compiles, later ones need not.
    std::vector<std::size_t> order(measured_.items.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    for (const std::size_t item : order) {
        MeasuredItem& one = measured_.items[item];
        const Task task = task_of(one, device);
        const auto start = std::chrono::steady_clock::now();
        MeasuredTuning& tuning = one.tunings[effort];
        try {
            tuning.winners = tune_around(engine.tuner(), task, plan, {}).winners;
        } catch (const Error& error) {
            fmt::print(stderr, "{}: {}\n", task.name(), error.what());
        }
        tuning.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        for (Winner& winner : tuning.winners) {
            winner.image.clear();
        }
        const Winner* const winner = nearest_winner(tuning, task.problem.sizes).first;
        fmt::print(stderr, "{} {:.2f} s, {:.2f}x\n", task.name(), tuning.seconds,
                   winner == nullptr ? 1 : winner->default_median_ns / winner->median_ns);
    }
}

/// The configurations that may answer the calls of an item: its own winners and its neighbours'.
std::vector<std::string> Measurer::answers(const MeasuredItem& one) const {
    const RecordKey& key = one.item.misses.front().key;
    const Sizes sizes = one.item.misses.front().problem_sizes().value();
    std::vector<std::string> answers;
    for (const MeasuredItem& other : measured_.items) {
        for (const auto& [effort, tuning] : other.tunings) {
            const auto [winner, octaves] = nearest_winner(tuning, sizes);
            if (winner != nullptr && octaves <= 1 && winner->key.is_like(key) &&
                std::find(answers.begin(), answers.end(), winner->configuration) == answers.end()) {
                answers.push_back(winner->configuration);
            }
        }
    }
    return answers;
}

void Measurer::compare() {
    Engine engine(options(), families());
    Device& device = engine.device(device_);
    BinaryCache binaries;
    for (MeasuredItem& one : measured_.items) {
        const Task task = task_of(one, device);
        one.standard = task.default_configuration().text();
        std::vector<std::string> compared = answers(one);
        compared.push_back(one.standard);
        const TuneReport report = internal::compare(task, compared, {}, {}, binaries, engine.log());
        for (const bool finals : {false, true}) {  // times of the finals replace those before
            for (const Measurement& measurement : report.measurements) {
                if (is_of_finals(measurement) == finals && measurement.verdict == Verdict::timed) {
                    one.times_ns[measurement.configuration] =
                        summarize(measurement.samples_ns).median_ns;
                }
            }
        }
        if (!one.times_ns.contains(one.standard)) {
            throw Error(ErrorKind::verify, "the default of " + task.name() + " has no time");
        }
        fmt::print(stderr, "{} {} answers, default {:.0f} ns\n", task.name(), one.times_ns.size(),
                   one.times_ns[one.standard]);
    }
}

}  // namespace

Measured measure(const std::vector<TracedCall>& calls, const std::string& device, double budget_s,
                 double brief_part) {
    return Measurer(calls, device, budget_s, brief_part).run();
}

}  // namespace jitune::bench
