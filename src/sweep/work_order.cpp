// SPDX-License-Identifier: Apache-2.0
#include "sweep/work_order.hpp"

#include <algorithm>
#include <cmath>

#include "range/cost_table.hpp"
#include "range/size_grid.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_index.hpp"

namespace jitune::internal {

namespace {

/// The part of the gain that a winner keeps so many octaves from where it was tuned.
double kept_at(double octaves) {
    constexpr double kLostPerOctave = 0.5;
    return octaves <= 1 ? 1 - kLostPerOctave * octaves : 0;
}

bool is_better(const WorkStep& a, const WorkStep& b) {
    return a.saved_s * b.tune_s > b.saved_s * a.tune_s;
}

constexpr double kFullPart = 1.25;  // a full tuning gains so many times what a brief one does

}  // namespace

std::int64_t WorkItem::calls() const {
    double sum = 0;  // of numbers that may be as large as any
    for (const CallRecord& miss : misses) {
        sum += static_cast<double>(miss.calls);
    }
    constexpr double kMost = 9e18;
    return static_cast<std::int64_t>(std::min(sum, kMost));
}

WorkOrder::WorkOrder(std::vector<WorkItem> items, std::span<const Winner> winners, double budget_s)
    : items_(std::move(items)), budget_s_(budget_s) {
    for (const WorkItem& item : items_) {
        const CallRecord& first = item.misses.front();
        const Sizes sizes = first.problem_sizes().value();
        State state{sizes, CallEstimate(first.key, sizes), static_cast<double>(item.calls())};
        state.kept = first.origin == "nearest" ? kept_at(0.5) : 0;
        states_.push_back(std::move(state));
    }
    find_neighbours();
    for (const Winner& winner : winners) {
        learn(winner);
    }
}

/// Items of one kernel, types and alignment, whose sizes are within an octave.
void WorkOrder::find_neighbours() {
    std::map<KernelKey, std::vector<std::size_t>> groups;
    for (std::size_t item = 0; item < items_.size(); ++item) {
        groups[items_[item].misses.front().key.kernel_key()].push_back(item);
    }
    for (const auto& [name, group] : groups) {
        for (const std::size_t item : group) {
            for (const std::size_t other : group) {
                const double kept =
                    kept_at(octaves_between(states_[item].sizes, states_[other].sizes));
                if (item != other && kept > 0) {
                    states_[item].near.emplace_back(other, kept);
                }
            }
        }
    }
}

void WorkOrder::learn(const Winner& winner) {
    const auto lesson = lesson_of(winner);
    if (!lesson) {
        return;
    }
    kernels_[kernel_of(winner.key)].add(*lesson);
    for (std::size_t item = 0; item < items_.size(); ++item) {
        if (kernel_of(items_[item].misses.front().key) == kernel_of(winner.key)) {
            states_[item].estimate.learn(*lesson);
        }
    }
}

const KernelLessons& WorkOrder::lessons(std::size_t item) const {
    static const KernelLessons kNone;
    const auto found = kernels_.find(kernel_of(items_[item].misses.front().key));
    return found == kernels_.end() ? kNone : found->second;
}

double WorkOrder::call_ns(std::size_t item) const {
    const State& state = states_[item];
    const KernelLessons& all = lessons(item);
    return state.estimate.default_ns(all) * std::exp(-state.kept * state.estimate.log_gain(all));
}

double WorkOrder::lost_s(std::size_t item, double kept) const {
    const State& state = states_[item];
    const KernelLessons& all = lessons(item);
    const double gain = state.estimate.log_gain(all);
    const double lost = std::exp(-kept * gain) - std::exp(-kFullPart * gain);
    return std::max(lost, 0.0) * state.calls * state.estimate.default_ns(all) * 1e-9;
}

double WorkOrder::saved_s(std::size_t item, Effort effort) const {
    const State& state = states_[item];
    const double reached = effort == Effort::full ? kFullPart : 1;
    double saved = lost_s(item, state.kept) - lost_s(item, reached);
    for (const auto& [other, kept] : state.near) {
        if (kept > states_[other].kept) {
            saved += lost_s(other, states_[other].kept) - lost_s(other, kept);
        }
    }
    return saved;
}

double WorkOrder::assumed_s(std::size_t item, Effort effort) const {
    constexpr double kBegin = 0.5;
    constexpr double kRead = 4e-9;  // for each element
    constexpr double kMore = 1.5;
    const double part = effort == Effort::full ? 1 : kBriefPart;
    return kBegin + kMore * part * budget_s_ +
           kRead * elements_of(items_[item].misses.front().key.kernel, states_[item].sizes);
}

std::vector<WorkStep> WorkOrder::steps() const {
    std::vector<WorkStep> steps;
    for (std::size_t item = 0; item < items_.size(); ++item) {
        const State& state = states_[item];
        if (!state.full_done) {
            const WorkStep full = step(item, Effort::full);
            const WorkStep brief = state.brief_done ? full : step(item, Effort::brief);
            steps.push_back(is_better(full, brief) ? full : brief);
        }
    }
    std::stable_sort(steps.begin(), steps.end(), is_better);
    return steps;
}

WorkStep WorkOrder::step(std::size_t item, Effort effort) const {
    const auto known = durations_.find(effort);
    const double factor = known == durations_.end() ? 1 : std::exp(known->second.with(0, 1));
    return {item, effort, saved_s(item, effort), factor * assumed_s(item, effort)};
}

void WorkOrder::done(std::size_t item, Effort effort, std::span<const Winner> winners,
                     double seconds) {
    State& state = states_[item];
    const bool failed = winners.empty();
    state.brief_done = true;
    state.full_done = failed || effort == Effort::full;
    if (failed) {
        return;
    }
    durations_[effort].add(std::log(std::max(seconds, 1e-3) / assumed_s(item, effort)), 1);
    state.kept = 1;
    for (const auto& [other, kept] : state.near) {
        states_[other].kept = std::max(states_[other].kept, kept);
    }
    for (const Winner& winner : winners) {
        learn(winner);
    }
}

std::vector<WorkItem> worklist(std::vector<CallRecord> misses, std::span<const Winner> winners) {
    std::stable_sort(misses.begin(), misses.end(),
                     [](const CallRecord& a, const CallRecord& b) { return a.calls > b.calls; });
    std::vector<WorkItem> items;
    std::map<RecordKey, std::size_t> places;  // in items
    for (CallRecord& miss : misses) {
        if (!miss.problem_sizes()) {
            continue;
        }
        const auto [place, is_new] = places.try_emplace(miss.key, items.size());
        if (is_new) {
            items.emplace_back();
        }
        items[place->second].misses.push_back(std::move(miss));
    }
    const WinnerIndex index(winners);
    for (WorkItem& item : items) {
        const CallRecord& first = item.misses.front();
        const auto serving = index.serving(first.key, first.problem_sizes().value());
        item.is_provisional = std::any_of(serving.begin(), serving.end(), [&](std::size_t place) {
            return trust_of(winners[place]) == Trust::provisional;
        });
    }
    const WorkOrder order(std::move(items), winners);
    std::vector<WorkItem> sorted;
    for (const WorkStep& step : order.steps()) {
        WorkItem& item = sorted.emplace_back(order.items()[step.item]);
        item.call_ns = order.call_ns(step.item);
        item.saved_s = step.saved_s;
        item.tune_s = step.tune_s;
    }
    return sorted;
}

std::int64_t unserved(std::span<const WorkItem> items) {
    return std::count_if(items.begin(), items.end(),
                         [](const WorkItem& item) { return !item.is_provisional; });
}

}  // namespace jitune::internal
