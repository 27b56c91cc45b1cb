// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "dispatch/behind/range_tuning.hpp"
#include "dispatch/engine.hpp"
#include "jitune/error.hpp"
#include "measure/conditions.hpp"
#include "measure/statistics.hpp"
#include "range/size_grid.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

/// The usual budget of a search or a comparison that has none.
constexpr milliseconds kUsualBudget{2000};

milliseconds budget_of(const SearchPlan& plan) {
    return plan.budget.count() > 0 ? plan.budget : kUsualBudget;
}

bool serves(const Winner& winner, std::span<const std::int64_t> sizes) {
    const auto boxes = boxes_of(winner);
    return boxes && covers(*boxes, sizes);
}

/// The last measurement of each configuration: times of the finals replace those before them.
std::vector<Measurement> last_of_each(std::vector<Measurement> measurements) {
    std::map<std::string, Measurement> last;
    for (Measurement& one : measurements) {
        last.insert_or_assign(one.configuration, std::move(one));
    }
    std::vector<Measurement> result;
    for (auto& [configuration, measurement] : last) {
        result.push_back(std::move(measurement));
    }
    return result;
}

/// Adds to the progress of each search and comparison how far the range is.
class RangeWatch {
public:
    /// All of it must outlive it.
    RangeWatch(std::size_t anchors, const RangeEffort& effort, const TuneHooks& hooks)
        : effort_(effort), hooks_(hooks) {
        range_.anchors = anchors;
        watched_.stop = hooks.stop;
        watched_.observer = hooks.observer;
        watched_.time = hooks.time;
        watched_.progress = [this](const TuneProgress& progress) {
            TuneProgress whole = progress;
            whole.range = range_;
            whole.range->left_s += std::max(part_s_ - hooks_.time->seconds_since(begun_), 0.0);
            hooks_.progress(whole);
        };
    }

    /// Runs a search or a comparison under these hooks.
    template <class Part>
    TuneReport run(bool is_search, const Part& part) {
        begun_ = hooks_.time->now();
        part_s_ = is_search ? search_s() : 0;
        range_.left_s = later_s(is_search);
        TuneReport report = part(watched_);
        (is_search ? searching_s_ : comparing_s_) += hooks_.time->seconds_since(begun_);
        ++(is_search ? range_.searched : range_.compared);
        range_.anchors = std::max(range_.anchors, range_.searched);
        return report;
    }

private:
    /// Of one search: as long as the ones before it, or as its budget says.
    [[nodiscard]] double search_s() const {
        return range_.searched > 0 ? searching_s_ / static_cast<double>(range_.searched)
                                   : std::chrono::duration<double>(budget_of(effort_.plan)).count();
    }
    [[nodiscard]] double later_s(bool is_search) const {
        const std::size_t done = range_.searched + (is_search ? 1 : 0);
        const auto searches = static_cast<double>(range_.anchors - std::min(done, range_.anchors));
        const double limit_s = std::chrono::duration<double>(effort_.limit).count();
        return searches * search_s() + std::max(limit_s - comparing_s_, 0.0);
    }

    const RangeEffort& effort_;
    const TuneHooks& hooks_;
    TuneHooks watched_;
    TuneProgress::Range range_;
    TimeSource::Clock::time_point begun_ = hooks_.time->now();
    double part_s_ = 0;  ///< how long the search under way takes
    double searching_s_ = 0;
    double comparing_s_ = 0;
};

/// True if `reuse` takes samples that were taken under these conditions.
bool takes(Reuse reuse, const std::string& conditions) {
    return reuse == Reuse::all ||
           (reuse == Reuse::undisturbed && !Conditions::parse(conditions).contended);
}

/// If a configuration won its search because hardly another was tried, its range is as uncertain:
/// notes that.
void take_rivals(const Certainty& of_search, Certainty& of_range) {
    Conditions conditions = Conditions::parse(of_range.conditions);
    conditions.rivals = Conditions::parse(of_search.conditions).rivals;
    of_range.conditions = conditions.text();
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
    const auto begin = hooks.time->now();
    auto made = isolation_.tune(RecordMaker(task), plan, hooks);
    BinaryCache binaries = binaries_.until(hooks.given_up);
    TuneReport report = made ? std::move(*made) : tune(task, plan, hooks, binaries, log_);
    log_.debug("compared {} configurations of {} in {:.3g} s", plan.compared.size(), task.name(),
               hooks.time->seconds_since(begin));
    report.measurements = last_of_each(std::move(report.measurements));
    for (Measurement& one : report.measurements) {
        if (one.verdict == Verdict::timed) {  // failures forbid later searches, too
            Conditions conditions = Conditions::parse(one.conditions);
            conditions.phase = Conditions::Phase::comparison;
            one.conditions = conditions.text();
        }
    }
    store_.tell([&](TuningStore& store) { store.save(report.measurements); });
    return report;
}

bool Engine::store_winners(std::span<const Winner> winners) {
    return store_.tell([&](TuningStore& store) {
        store.save({}, winners);
        return true;
    });
}

OwnTuning Engine::tune_own(const Task& task, const SearchPlan& plan, const TuneHooks& hooks) {
    refuse_tuning();
    OwnTuning own;
    own.around = bucket_box(task.problem.sizes);
    store_.ask([&](TuningStore& store) {
        own.around = store.same_winners(task.key(), task.problem.sizes, own.around);
    });
    own.report = tune_prepared(task, plan, hooks);
    return own;
}

RangeReport Engine::widen(const Task& task, const OwnTuning& own, const SearchPlan& plan,
                          const TuneHooks& hooks) {
    refuse_tuning();
    const Sizes& sizes = task.problem.sizes;
    TuneHooks before = hooks;
    before.has_turn = hooks.may_compare;
    const TuneTask tune_task = [&](const Task& at, const SearchPlan& its) {
        if (its.compared.empty()) {
            return at.problem.sizes == sizes ? own.report : tune_prepared(at, its, hooks);
        }
        await_turn(before);
        return compare(at, its, hooks);
    };
    // The tuning at the own sizes has counted itself.
    const std::size_t tries = std::max<std::size_t>(tries_of(own.report.winner.certainty), 1) - 1;
    std::vector<Winner> winners;
    try {
        const RangeEffort effort{plan, budget_of(plan) / 2,
                                 known_comparisons(task, Reuse::undisturbed), hooks.rested,
                                 hooks.time};
        winners = internal::tune_range(task, range_around(sizes, own.around, plan.seed), effort,
                                       *hooks.stop, tune_task);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::device || *hooks.stop) {
            throw;
        }
        log_.info("{}: the sizes around are left out: {}", task.name(), error.what());
    }
    if (*hooks.stop) {
        return {{own.report.winner}, own.report.stored};
    }
    for (Winner& winner : winners) {
        if (winner.configuration == own.report.winner.configuration) {
            take_rivals(own.report.winner.certainty, winner.certainty);
        }
        count_try(winner.certainty, tries);
    }
    // Constraints may tell sizes of one range apart.
    const auto is_legal = [&](const Winner& winner) {
        return task.accepts(task.parse(winner.configuration));
    };
    const bool served = std::any_of(winners.begin(), winners.end(), [&](const Winner& winner) {
        return may_serve(trust_of(winner)) && serves(winner, sizes) && is_legal(winner) &&
               !may_be_slower(winner);
    });
    if (!served) {
        winners.push_back(
            own.report.winner);  // the last, which takes its sizes away from the others
    }
    const bool stored = store_winners(winners);
    const auto kept = store_.ask([&](TuningStore& store) { return store.find(task.key(), sizes); });
    if (kept && is_legal(*kept) &&
        std::any_of(winners.begin(), winners.end(), [&](const Winner& winner) {
            return may_serve(trust_of(winner)) && serves(winner, sizes) && yields(winner, *kept);
        })) {
        winners.push_back(*kept);
    }
    return {std::move(winners), stored};
}

StoredComparisons Engine::known_comparisons(const Task& task, Reuse reuse) {
    const Provenance here = RecordMaker(task).provenance();
    std::vector<Measurement> rows = store_.ask(
        [&](TuningStore& store) { return store.measurements().comparisons(task.key()); });
    std::erase_if(rows, [&](const Measurement& row) {
        return !is_same_place(row.provenance, here) || !takes(reuse, row.conditions);
    });
    return stored_comparisons(rows);
}

std::optional<TuneReport> Engine::known_search(const Task& task, Reuse reuse) {
    constexpr std::size_t kEnough = 64;
    const RecordMaker record_maker(task);
    const std::size_t enough = std::min(kEnough, task.space().size());
    return store_.ask([&](TuningStore& store) -> std::optional<TuneReport> {
        TuneReport report;
        for (Measurement& one : store.measurements().of(task.key())) {
            const bool is_compared = phase_of(one) == Conditions::Phase::comparison;
            if (one.sizes == task.sizes() && !is_compared && takes(reuse, one.conditions) &&
                is_same_place(one.provenance, record_maker.provenance())) {
                report.measurements.push_back(std::move(one));
            }
        }
        report.measurements = last_of_each(std::move(report.measurements));
        std::optional<double> fastest_ns;
        for (const Measurement& one : report.measurements) {
            if (is_of_finals(one) && one.verdict == Verdict::timed) {
                const double ns = summarize(one.samples_ns).median_ns;
                if (!fastest_ns || ns < *fastest_ns) {
                    fastest_ns = ns;
                    report.winner.configuration = one.configuration;
                }
            }
        }
        const bool has_enough = fastest_ns && report.measurements.size() >= enough;
        return has_enough ? std::optional(std::move(report)) : std::nullopt;
    });
}

RangeReport Engine::tune_range(const Task& task, const SizeBox& domain, const SearchPlan& plan,
                               const TuneHooks& hooks, Reuse reuse) {
    refuse_tuning();
    RangeEffort effort{plan, std::chrono::duration_cast<milliseconds>(
                                 budget_of(plan) * 0.75 * std::max(octaves_of(domain), 1.0))};
    effort.plan.budget = plan.budget / 3;
    if (reuse != Reuse::nothing) {
        effort.known = known_comparisons(task, reuse);
    }
    const RangePlan range = whole_range(domain, plan.seed);
    RangeWatch watch(range.anchors.size(), effort, hooks);
    const TuneTask tune_task = [&](const Task& at, const SearchPlan& its) {
        const bool is_search = its.compared.empty();
        return watch.run(is_search, [&](const TuneHooks& watched) {
            if (!is_search) {
                return compare(at, its, watched);
            }
            auto known = known_search(at, reuse);
            return known ? std::move(*known) : tune_and_store(at, its, watched);
        });
    };
    std::size_t tries = 0;
    for (const Winner& winner : winners_of(task, domain)) {
        if (is_same_place(winner.provenance, RecordMaker(task).provenance())) {
            tries = std::max(tries, tries_of(winner.certainty));
        }
    }
    RangeReport report;
    report.winners = internal::tune_range(task, range, effort, *hooks.stop, tune_task);
    for (Winner& winner : report.winners) {
        count_try(winner.certainty, tries);
    }
    report.stored = !report.winners.empty() && store_winners(report.winners);
    return report;
}

std::vector<SizeBox> Engine::unserved(const Task& task, const SizeBox& domain, Reuse reuse) {
    const RecordMaker record_maker(task);
    std::vector<SizeBox> left{domain};
    for (const Winner& winner : winners_of(task, domain)) {
        const Trust least = reuse == Reuse::all ? Trust::provisional : Trust::kept;
        if (trust_of(winner) < least ||
            !is_same_place(winner.provenance, record_maker.provenance())) {
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
