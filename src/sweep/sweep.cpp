// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "range/size_grid.hpp"
#include "spread/machine.hpp"
#include "support/thread_pool.hpp"
#include "tuning/isolation/worker_command.hpp"
#include "tuning/search/compile_ahead.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostHoles = 8;
constexpr std::chrono::seconds kStorePatience{10};  // another device's thread may be writing
constexpr const char* kPinned = "pinned: it stays until jitune db unpin";

/// The texts that `text_of` gives for the devices, each once, joined by commas.
template <class TextOf>
std::string joined(const std::vector<Device*>& devices, const TextOf& text_of) {
    std::vector<std::string> all;
    for (Device* device : devices) {
        if (std::string text = text_of(*device);
            std::find(all.begin(), all.end(), text) == all.end()) {
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

/// Of `all`, which has each problem once for each class of devices, those that are not another
/// tuning of one before.
std::size_t without_repetitions(const std::vector<SweepProblem>& problems, std::size_t all) {
    const auto again = std::count_if(problems.begin(), problems.end(), [](const SweepProblem& one) {
        return one.again_of.has_value();
    });
    return problems.empty()
               ? 0
               : all / problems.size() * (problems.size() - static_cast<std::size_t>(again));
}

/// The key of each problem's winner, without the device and the template.
std::vector<std::string> keys_of(const std::vector<SweepProblem>& problems) {
    std::vector<std::string> keys;
    for (const SweepProblem& one : problems) {
        const Problem& problem = one.problem;
        // Problems of ranges may overlap, so that one waits for the other.
        const std::int64_t sizes = one.domain ? -1 : size_bucket(problem.sizes);
        keys.push_back(fmt::format("{} {} {} {}", problem.kernel, types_text(problem), sizes,
                                   problem.alignment));
    }
    return keys;
}

}  // namespace

std::vector<Device*> sweep_devices(Engine& engine, const std::string& id) {
    Device& first = id.empty() ? engine.first_device() : device_of(engine, id);
    if (runs_placements(first.info().platform) || id.find(':') != std::string::npos) {
        return {&first};
    }
    Platform& platform = engine.platform(first.info().platform);
    std::vector<Device*> all;
    for (int i = 0; i < platform.device_count(); ++i) {
        all.push_back(&platform.device(i));
    }
    return all;
}

std::vector<std::string> ids_of(const std::vector<Device*>& devices) {
    std::vector<std::string> ids;
    for (const Device* const device : devices) {
        ids.push_back(id_of(*device));
    }
    return ids;
}

Sweep::Sweep(Engine& engine, std::vector<Device*> devices, std::vector<SweepProblem> problems,
             SweepSearch search, const std::atomic<bool>& stop, SweepObserver& observer)
    : engine_(engine),
      devices_(std::move(devices)),
      problems_(std::move(problems)),
      search_(std::move(search)),
      stop_(stop),
      observer_(observer),
      queue_(keys_of(problems_), classes_of(devices_)) {
    const Options& options = engine_.options();
    result_.device = joined(devices_, id_of);
    result_.device_name = joined(devices_, [](Device& one) { return one.info().name; });
    result_.compiler = joined(devices_, [](Device& one) { return one.compiler(); });
    result_.strategy = options.strategy;
    result_.seed = options.seed;
    result_.budget_s = std::chrono::duration<double>(options.budget).count();
    result_.database = options.database.string();
    result_.problems = without_repetitions(problems_, queue_.size());
    state_.problems = queue_.size();
    state_.budget_s = result_.budget_s;
    if (search_.order != nullptr) {
        const std::vector<std::size_t> first = search_.order->begin();
        for (std::size_t device = 0; device < devices_.size(); ++device) {
            queue_.replace(device, first);
        }
    }
}

SweepResult Sweep::run() {
    const auto start = engine_.time().now();
    busy_ = search_.busy ? *search_.busy : busy_devices(devices_, engine_.log());
    ThreadPool().run(devices_.size(), [this](std::size_t device) { work(device); });
    for (auto& [place, row] : rows_) {
        result_.rows.push_back(std::move(row));
    }
    result_.interrupted = stop_;
    result_.store_errors = engine_.counters().store_errors;
    result_.seconds = engine_.time().seconds_since(start);
    return std::move(result_);
}

void Sweep::work(std::size_t device) {
    try {
        while (!stop_ && !is_late()) {
            const auto problem = queue_.take(device);
            if (!problem) {
                return;
            }
            tune(device, *problem);
        }
        queue_.close();
    } catch (...) {
        queue_.close();
        throw;
    }
}

bool Sweep::is_late() const {
    return internal::is_late(search_.until, engine_.time());
}

void Sweep::tune(std::size_t device, std::size_t problem) {
    const SweepProblem& one = problems_[problem];
    SweepRow row;
    row.problem = problem;
    row.bytes = one.bytes;
    row.device = id_of(*devices_[device]);
    begin(device, problem);
    const auto start = engine_.time().now();
    bool stopped = false;
    bool handed_back = false;
    try {
        stopped = !tune_into(row, device);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::device && queue_.hand_back(device)) {
            engine_.log().warning("{} on {}: {}; another device of its class takes it", one.name,
                                  row.device, error.what());
            handed_back = true;
        } else if (!explains(error, row)) {
            throw;
        }
    } catch (const std::bad_alloc&) {
        row.outcome = SweepRow::Outcome::not_started;
        row.note = "not enough memory";
    }
    const std::lock_guard lock(mutex_);
    if (stopped) {
        result_.stopped.push_back({one.name, row.device, runs_[device].tune});
    }
    runs_.erase(device);
    if (stopped || handed_back) {
        return;
    }
    ++state_.done;
    state_.kept += row.outcome == SweepRow::Outcome::skipped ? 1 : 0;
    const double seconds = engine_.time().seconds_since(start);
    state_.spent_s += seconds;
    if (search_.order != nullptr) {
        queue_.replace(device, search_.order->after(row, seconds));
    }
    queue_.finish(device);
    observer_.done(row);
    rows_.emplace(std::pair(problem, device), std::move(row));
}

SearchPlan Sweep::plan_for(const Task& task, double budget_part) const {
    constexpr std::chrono::milliseconds kUsualBudget{2000};
    const Options& options = engine_.options();
    SearchPlan plan;
    plan.strategy = options.strategy;
    plan.seed = options.seed;
    plan.budget = options.budget;
    if (budget_part < 1) {
        plan.budget = std::max(
            std::chrono::milliseconds(1),
            std::chrono::duration_cast<std::chrono::milliseconds>(
                (options.budget.count() == 0 ? kUsualBudget : options.budget) * budget_part));
    }
    plan.max_evaluations = search_.evaluations;
    plan.target_ns = search_.target.time_ns;
    plan.target_speed_up = search_.target.speed_up;
    plan.compile_threads = CompileAhead::threads_for(devices_.size());
    plan.hints = search_.hints.for_task(task);
    return plan;
}

bool Sweep::tune_into(SweepRow& row, std::size_t index) {
    Device& device = *devices_[index];
    const SweepProblem& one = problems_[row.problem];
    const Task task{device, one.kernel(device), one.problem};
    const auto start = engine_.time().now();
    TuneHooks hooks;
    hooks.stop = &stop_;
    hooks.time = &engine_.time();
    hooks.progress = [&](const TuneProgress& progress) {
        go_on(index, progress, engine_.time().seconds_since(start));
    };
    if (one.domain) {
        return tune_range_into(row, task, plan_for(task, one.budget_part), hooks);
    }
    if (one.around) {
        tune_around_into(row, task, hooks);
        return true;
    }
    if (!search_.again) {
        if (skip_pinned(row, task)) {
            return true;
        }
        const bool is_adopted = engine_.tuner().adopt(task, hooks);
        const auto winner = engine_.tuner().complete_winner(task);
        if (winner && !is_worth_another_try(*winner, device)) {
            row.set_winner(task, *winner);
            row.outcome = SweepRow::Outcome::skipped;
            row.note = is_adopted ? "complete, compiled here" : "complete";
            return true;
        }
    }
    const TuneReport report = engine_.tuner().tune(task, plan_for(task, one.budget_part), hooks);
    row.set_tuned(task, report);
    row.note = !report.kept           ? ""
               : report.winner.pinned ? kPinned
                                      : "kept: this tuning was less sure than that of the stored "
                                        "winner";
    row.stored = report.stored;
    return true;
}

/// A tuning would not replace its winner.
bool Sweep::skip_pinned(SweepRow& row, const Task& task) {
    TuningStore* const store = engine_.store();
    const auto winner = store == nullptr
                            ? std::nullopt
                            : store->find(task.key(), task.problem.sizes, kStorePatience);
    if (!winner || !winner->pinned) {
        return false;
    }
    row.set_winner(task, *winner);
    row.outcome = SweepRow::Outcome::skipped;
    row.note = kPinned;
    return true;
}

void Sweep::tune_around_into(SweepRow& row, const Task& task, const TuneHooks& hooks) {
    task.check();
    TuningStore* const store = engine_.store();
    const SweepProblem& one = problems_[row.problem];
    const bool is_adopted = !one.anew && engine_.tuner().adopt(task, hooks);
    const auto winner = store == nullptr || one.anew
                            ? std::nullopt
                            : store->find(task.key(), task.problem.sizes, kStorePatience);
    if (winner && !is_worth_another_try(*winner, task.device)) {
        row.set_winner(task, *winner);
        row.outcome = SweepRow::Outcome::skipped;
        row.note = trust_of(*winner) == Trust::provisional
                       ? "its winner is provisional, and the device is too busy for another try"
                   : is_adopted ? "the winner that a merge has brought is compiled and serves it"
                                : "a stored winner serves it";
        return;
    }
    task.kernel.workload->prepare(task.problem);
    const SearchPlan plan = plan_for(task, one.budget_part);
    const OwnTuning own = tune_own(engine_.tuner(), task, plan, hooks);
    row.set_tuned(task, own.report);
    RangeReport report = widen(engine_.tuner(), task, own, plan, hooks);
    row.ranges = std::move(report.winners);
    row.stored = report.stored;
}

bool Sweep::tune_range_into(SweepRow& row, const Task& task, const SearchPlan& plan,
                            const TuneHooks& hooks) {
    const SizeBox& domain = *problems_[row.problem].domain;
    std::vector<SizeBox> parts{domain};
    const Reuse reuse = search_.again                  ? Reuse::nothing
                        : busy_.contains(&task.device) ? Reuse::all
                                                       : Reuse::undisturbed;
    if (!search_.again) {
        parts = unserved(engine_.tuner().store(), task, domain, reuse);
        const auto octaves = [](double sum, const SizeBox& box) { return sum + octaves_of(box); };
        // Many holes are as quickly searched together.
        if (std::accumulate(parts.begin(), parts.end(), 0.0, octaves) > octaves_of(domain) / 2 ||
            parts.size() > kMostHoles) {
            parts = {domain};
        }
    }
    row.stored = !parts.empty();
    for (const SizeBox& part : parts) {
        RangeReport report = tune_range(engine_.tuner(), task, part, plan, hooks, reuse);
        if (report.winners.empty()) {  // stopped
            return false;
        }
        row.stored = row.stored && report.stored;
        std::move(report.winners.begin(), report.winners.end(), std::back_inserter(row.ranges));
    }
    if (parts.empty()) {
        row.outcome = SweepRow::Outcome::skipped;
        row.note = "every size is served";
    }
    if (row.stored || parts.empty()) {  // with those that served before
        row.ranges = winners_of(engine_.tuner().store(), task, domain);
    }
    return true;
}

bool Sweep::explains(const Error& error, SweepRow& row) const {
    row.note = error.what();
    switch (error.kind()) {
        case ErrorKind::unavailable:
            row.outcome = SweepRow::Outcome::not_started;
            break;
        case ErrorKind::verify:
        case ErrorKind::compile:
            row.outcome = SweepRow::Outcome::failed;
            break;
        case ErrorKind::device:  // tuned in this process, the device is lost for the other
                                 // problems, too
            row.outcome = SweepRow::Outcome::failed;
            return engine_.options().worker != kNoWorker;
        default:
            return false;
    }
    return true;
}

void Sweep::begin(std::size_t device, std::size_t problem) {
    const SweepProblem& one = problems_[problem];
    const std::lock_guard lock(mutex_);
    runs_[device] = {id_of(*devices_[device]), one.name, {}, 0};
    begun_.emplace(one.again_of.value_or(problem), devices_[device]->info().device_class);
    result_.begun = begun_.size();
}

void Sweep::go_on(std::size_t device, const TuneProgress& progress, double elapsed_s) {
    const std::lock_guard lock(mutex_);
    runs_[device].go_on(progress, elapsed_s);
    state_.runs.clear();
    for (const auto& [number, run] : runs_) {
        state_.runs.push_back(run);
    }
    observer_.progress(state_);
}

}  // namespace jitune::internal
