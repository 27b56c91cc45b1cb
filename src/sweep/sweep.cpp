// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "families/reduce/reduce_kernel.hpp"
#include "placement/machine.hpp"
#include "tuning/compile_ahead.hpp"

namespace jitune::internal {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What `of` says of each device, without repetitions.
template <class Of>
std::string joined(const std::vector<Device*>& devices, const Of& of) {
    std::vector<std::string> all;
    for (Device* device : devices) {
        if (std::string text = of(*device); std::find(all.begin(), all.end(), text) == all.end()) {
            all.push_back(std::move(text));
        }
    }
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string id_of(const Device& device) {
    return device.info().id;
}

std::vector<std::string> classes_of(const std::vector<Device*>& devices) {
    std::vector<std::string> classes;
    for (const Device* device : devices) {
        classes.push_back(device->info().device_class);
    }
    return classes;
}

/// Of each problem: what its winner is stored under, but for the device and the template.
std::vector<std::string> keys_of(const SweepPlan& plan) {
    std::vector<std::string> keys;
    for (const SweepProblem& one : plan.problems) {
        const Problem& problem = one.problem;
        keys.push_back(fmt::format("{} {} {} {}", problem.kernel, types_text(problem),
                                   size_bucket(problem.sizes), problem.alignment));
    }
    return keys;
}

}  // namespace

std::vector<Device*> sweep_devices(Engine& engine, const std::string& word) {
    Device& first = device_of(engine, word);
    if (first.info().platform == PlatformKind::machine || word.find(':') != std::string::npos) {
        return {&first};
    }
    Platform& platform = engine.platform(first.info().platform);
    std::vector<Device*> all;
    for (int i = 0; i < platform.device_count(); ++i) {
        all.push_back(&platform.device(i));
    }
    return all;
}

Sweep::Sweep(Engine& engine, std::vector<Device*> devices, SweepPlan plan, SweepSearch search,
             const std::atomic<bool>& stop, std::function<void(const std::string&)> show)
    : engine_(engine),
      devices_(std::move(devices)),
      plan_(std::move(plan)),
      search_(std::move(search)),
      stop_(stop),
      show_(std::move(show)),
      queue_(keys_of(plan_), classes_of(devices_)),
      table_(plan_, device_ids()) {
    const Options& options = engine_.options();
    result_.kernel = plan_.kernel;
    result_.settings = plan_.settings;
    result_.device = joined(devices_, id_of);
    result_.device_name = joined(devices_, [](Device& one) { return one.info().name; });
    result_.compiler = joined(devices_, [](Device& one) { return one.compiler(); });
    result_.strategy = options.strategy;
    result_.seed = options.seed;
    result_.budget_s = std::chrono::duration<double>(options.budget).count();
    result_.database = options.database.string();
    result_.problems = queue_.size();
    state_.problems = queue_.size();
    state_.budget_s = result_.budget_s;
}

std::vector<std::string> Sweep::device_ids() const {
    std::vector<std::string> ids;
    for (const Device* device : devices_) {
        ids.push_back(id_of(*device));
    }
    return ids;
}

std::string Sweep::title() const {
    std::string settings;
    for (const auto& [name, value] : plan_.settings) {
        settings += value + ", ";
    }
    return fmt::format("{} on {} ({}), {}, {}strategy {}\n", plan_.kernel, result_.device,
                       result_.device_name, result_.compiler, settings, result_.strategy);
}

SweepResult Sweep::run() {
    const auto start = Clock::now();
    show_(title());
    show_(table_.header());
    {
        std::vector<std::jthread> threads;
        for (std::size_t device = 0; device < devices_.size(); ++device) {
            threads.emplace_back([this, device] { work(device); });
        }
    }
    if (error_ != nullptr) {
        std::rethrow_exception(error_);
    }
    for (auto& [place, row] : rows_) {
        result_.rows.push_back(std::move(row));
    }
    result_.interrupted = stop_;
    result_.store_errors = engine_.counters().store_errors;
    result_.seconds = seconds_since(start);
    return std::move(result_);
}

void Sweep::work(std::size_t device) {
    try {
        while (!stop_) {
            const auto problem = queue_.take(device);
            if (!problem) {
                return;
            }
            tune(device, *problem);
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        error_ = error_ == nullptr ? std::current_exception() : error_;
    }
    queue_.close();
}

void Sweep::tune(std::size_t device, std::size_t problem) {
    SweepRow row;
    row.problem = plan_.problems[problem];
    row.device = id_of(*devices_[device]);
    begin(device, row.problem);
    const auto start = Clock::now();
    bool finished = true;
    try {
        tune_into(row, device);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::device && queue_.hand_back(device)) {
            engine_.log().warning("{} on {}: {}; another device of its class takes it",
                                  row.problem.name, row.device, error.what());
            finished = false;
        } else if (!is_of_the_problem(error, row)) {
            throw;
        }
    } catch (const std::bad_alloc&) {
        row.outcome = SweepRow::Outcome::skipped;
        row.note = "not enough memory";
    }
    const std::lock_guard lock(mutex_);
    runs_.erase(device);
    if (!finished) {
        return;
    }
    ++state_.done;
    state_.spent_s += seconds_since(start);
    queue_.finish(device);
    progress_.clear();
    show_(table_.line(row));
    rows_.emplace(std::pair(problem, device), std::move(row));
}

void Sweep::tune_into(SweepRow& row, std::size_t index) {
    Device& device = *devices_[index];
    const Options& options = engine_.options();
    const Kernel& kernel = row.problem.kernel(device);
    const auto start = Clock::now();
    SearchPlan plan;
    plan.strategy = options.strategy;
    plan.seed = options.seed;
    plan.budget = options.budget;
    plan.max_evaluations = search_.evaluations;
    plan.target_ns = search_.target.time_ns;
    plan.target_speed_up = search_.target.speed_up;
    plan.compile_threads = CompileAhead::threads_for(devices_.size());
    plan.hints =
        search_.hints.for_problem(kernel.kernel_template, row.problem.problem, device.info());
    TuneHooks hooks;
    hooks.stop = &stop_;
    hooks.progress = [&](const TuneProgress& progress) {
        go_on(index, progress, seconds_since(start));
    };
    const TuneReport report =
        engine_.tune_and_store({device, kernel, row.problem.problem}, std::move(plan), hooks);
    row.configuration = report.winner.configuration;
    row.median_ns = report.winner.median_ns;
    row.noise = report.winner.noise;
    row.default_median_ns = report.winner.default_median_ns;
    row.certainty = report.winner.certainty;
    row.complete = report.winner.complete;
    row.tune = report.progress;
}

bool Sweep::is_of_the_problem(const Error& error, SweepRow& row) const {
    row.note = error.what();
    switch (error.kind()) {
        case ErrorKind::unavailable:
            row.outcome = SweepRow::Outcome::skipped;
            break;
        case ErrorKind::verify:
        case ErrorKind::compile:
            row.outcome = SweepRow::Outcome::failed;
            break;
        case ErrorKind::device:  // of this very process it would be lost for the rest, too
            row.outcome = SweepRow::Outcome::failed;
            return engine_.options().worker != "none";
        default:
            return false;
    }
    return true;
}

void Sweep::begin(std::size_t device, const SweepProblem& problem) {
    const std::lock_guard lock(mutex_);
    runs_[device] = {id_of(*devices_[device]), problem.name, {}, 0};
}

void Sweep::go_on(std::size_t device, const TuneProgress& progress, double elapsed_s) {
    const std::lock_guard lock(mutex_);
    runs_[device].tune = progress;
    runs_[device].elapsed_s = elapsed_s;
    state_.runs.clear();
    for (const auto& [number, run] : runs_) {
        state_.runs.push_back(run);
    }
    progress_.show(state_);
}

}  // namespace jitune::internal
