// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <utility>

#include "dispatch/engine.hpp"
#include "dispatch/range_tuning.hpp"
#include "jitune/error.hpp"
#include "range/size_grid.hpp"
#include "tuner_db/winner_table.hpp"
#include "tuning/record_maker.hpp"
#include "tuning/tuning_history.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

/// Of a search or a comparison that has no budget.
constexpr milliseconds kUsualBudget{2000};

milliseconds budget_of(const SearchPlan& plan) {
    return plan.budget.count() > 0 ? plan.budget : kUsualBudget;
}

bool serves(const Winner& winner, std::span<const std::int64_t> sizes) {
    const auto boxes = boxes_of(winner);
    return boxes && covers(*boxes, sizes);
}

/// The parts of the boxes that `taken` does not hold.
std::vector<SizeBox> outside(const std::vector<SizeBox>& boxes, const SizeBox& taken) {
    std::vector<SizeBox> left;
    for (const SizeBox& box : boxes) {
        const std::vector<SizeBox> parts = box.outside(taken);
        left.insert(left.end(), parts.begin(), parts.end());
    }
    return left;
}

}  // namespace

TuneReport Engine::compare(const Task& task, const SearchPlan& plan, const TuneHooks& hooks) {
    auto made = isolation_.tune(RecordMaker(task), plan, hooks);
    TuneReport report = made ? std::move(*made) : tune(task, plan, hooks, binaries_, log_);
    // Failures are for later tunings to know, and to delete stored winners that are wrong.
    std::vector<Measurement> failures;
    std::copy_if(report.measurements.begin(), report.measurements.end(),
                 std::back_inserter(failures),
                 [](const Measurement& one) { return one.verdict != Verdict::timed; });
    if (!failures.empty()) {
        store_.tell([&](TuningStore& store) { store.save(failures); });
    }
    return report;
}

void Engine::store_winners(std::span<const Winner> winners) {
    store_.tell([&](TuningStore& store) { store.save({}, winners); });
}

std::vector<Winner> Engine::tune_around(const Task& task, const SearchPlan& plan,
                                        const TuneHooks& hooks) {
    refuse_tuning();
    const Sizes& sizes = task.problem.sizes;
    std::optional<Winner> own;
    const TuneTask tune_task = [&](const Task& at, const SearchPlan& its) {
        if (!its.compared.empty()) {
            return compare(at, its, hooks);
        }
        TuneReport report = tune_prepared(at, its, hooks);
        own = report.winner;
        return report;
    };
    SizeBox domain = bucket_box(sizes);
    store_.ask([&](TuningStore& store) { domain = store.same_winners(task.key(), sizes, domain); });
    std::vector<Winner> winners;
    try {
        winners = internal::tune_range(task, range_around(sizes, domain, plan.seed), plan,
                                       budget_of(plan) / 2, *hooks.stop, tune_task);
    } catch (const Error& error) {
        if (!own || error.kind() == ErrorKind::device) {
            throw;
        }
        log_.info("{}: the sizes around are left out: {}", task.name(), error.what());
    }
    const bool served = std::any_of(winners.begin(), winners.end(), [&](const Winner& winner) {
        return !winner.range.unsure && serves(winner, sizes);
    });
    if (!served) {
        winners.push_back(*own);  // the last, which takes its sizes away from the others
    }
    store_winners(winners);
    return winners;
}

std::vector<Winner> Engine::tune_range(const Task& task, const SizeBox& domain,
                                       const SearchPlan& plan, const TuneHooks& hooks) {
    refuse_tuning();
    SearchPlan search = plan;
    search.budget = plan.budget / 3;
    const auto limit = std::chrono::duration_cast<milliseconds>(budget_of(plan) * 0.75 *
                                                                std::max(octaves_of(domain), 1.0));
    std::vector<Winner> winners = internal::tune_range(
        task, whole_range(domain, plan.seed), search, limit, *hooks.stop,
        [&](const Task& at, const SearchPlan& its) {
            return its.compared.empty() ? tune_and_store(at, its, hooks) : compare(at, its, hooks);
        });
    store_winners(winners);
    return winners;
}

std::vector<SizeBox> Engine::unserved(const Task& task, const SizeBox& domain) {
    const RecordMaker record_maker(task);
    std::vector<SizeBox> left{domain};
    for (const Winner& winner : winners_of(task, domain)) {
        if (winner.range.unsure || !is_same_place(winner.provenance, record_maker.provenance())) {
            continue;
        }
        const std::vector<SizeBox> boxes = boxes_of(winner).value();
        for (const SizeBox& box : boxes) {
            left = outside(left, box);
        }
    }
    return left;
}

std::vector<Winner> Engine::winners_of(const Task& task, const SizeBox& domain) {
    std::vector<Winner> all = store_.ask([](TuningStore& store) { return store.winners(); });
    const RecordKey key = task.key();
    std::erase_if(all, [&](const Winner& winner) {
        const auto boxes = boxes_of(winner);
        return !winner.key.is_like(key) || !boxes ||
               std::none_of(boxes->begin(), boxes->end(),
                            [&](const SizeBox& box) { return box.overlaps(domain); });
    });
    return all;
}

}  // namespace jitune::internal
