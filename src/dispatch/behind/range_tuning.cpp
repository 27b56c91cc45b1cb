// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/range_tuning.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "dispatch/behind/range_winners.hpp"
#include "jitune/error.hpp"
#include "measure/conditions.hpp"
#include "measure/statistics.hpp"
#include "range/size_grid.hpp"
#include "sizes/box_sets.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/record/record_maker.hpp"

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

/// True if `reuse` takes this measurement of a search.
bool takes(Reuse reuse, const Measurement& measurement) {
    return reuse == Reuse::all || (reuse == Reuse::undisturbed && !was_disturbed(measurement));
}

/// If a configuration won its search because hardly another was tried, notes that its range is as
/// uncertain.
void take_rivals(const Certainty& of_search, Certainty& of_range) {
    Conditions conditions = Conditions::parse(of_range.conditions);
    conditions.rivals = Conditions::parse(of_search.conditions).rivals;
    of_range.conditions = conditions.text();
}

/// The undisturbed comparisons that the database has from this device, driver and compiler.
StoredComparisons known_comparisons(SessionStore& store, const Task& task) {
    const Provenance here = RecordMaker(task).provenance();
    std::vector<Measurement> rows =
        store.ask([&](TuningStore& open) { return open.measurements().comparisons(task.key()); });
    std::erase_if(rows, [&](const Measurement& row) {
        return !is_same_place(row.provenance, here) || was_disturbed(row);
    });
    return stored_comparisons(rows);
}

/// The measurements of earlier searches at the task's sizes, if these have tried enough. Of the
/// report's winner, the configuration alone is set.
std::optional<TuneReport> known_search(SessionStore& store, const Task& task, Reuse reuse) {
    constexpr std::size_t kEnough = 64;
    const RecordMaker record_maker(task);
    const std::size_t enough = std::min(kEnough, task.space().size());
    return store.ask([&](TuningStore& open) -> std::optional<TuneReport> {
        TuneReport report;
        for (Measurement& one : open.measurements().of(task.key())) {
            const bool is_compared = phase_of(one) == Conditions::Phase::comparison;
            if (one.sizes == task.sizes() && !is_compared && takes(reuse, one) &&
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

/// Searches if no earlier search has tried enough, and compares. Adds to the progress how far
/// the range is.
class WholeRangeTuner : public SizeTuner {
public:
    /// All of it must outlive it.
    WholeRangeTuner(SessionTuner& tuner, std::size_t anchors, const RangeEffort& effort,
                    const TuneHooks& hooks, Reuse reuse)
        : tuner_(tuner), effort_(effort), hooks_(hooks), reuse_(reuse) {
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

    TuneReport search(const Task& task, const SearchPlan& plan) override {
        begun_ = hooks_.time->now();
        part_s_ = search_s();
        range_.left_s = later_s(range_.searched + 1);
        auto known = known_search(tuner_.store(), task, reuse_);
        TuneReport report = known ? std::move(*known) : tuner_.tune(task, plan, watched_);
        searching_s_ += hooks_.time->seconds_since(begun_);
        ++range_.searched;
        range_.anchors = std::max(range_.anchors, range_.searched);
        return report;
    }

    TuneReport compare(const Task& task, const std::vector<std::string>& compared,
                       const SearchPlan& plan) override {
        begun_ = hooks_.time->now();
        part_s_ = 0;
        range_.left_s = later_s(range_.searched);
        TuneReport report = tuner_.compare(task, compared, plan, watched_);
        comparing_s_ += hooks_.time->seconds_since(begun_);
        ++range_.compared;
        return report;
    }

private:
    /// The estimate for one search: as long as the searches before it, or as its budget says.
    [[nodiscard]] double search_s() const {
        return range_.searched > 0 ? searching_s_ / static_cast<double>(range_.searched)
                                   : std::chrono::duration<double>(budget_of(effort_.plan)).count();
    }
    /// The estimate for what comes after so many searches.
    [[nodiscard]] double later_s(std::size_t done) const {
        const auto searches = static_cast<double>(range_.anchors - std::min(done, range_.anchors));
        const double limit_s = std::chrono::duration<double>(effort_.limit).count();
        return searches * search_s() + std::max(limit_s - comparing_s_, 0.0);
    }

    SessionTuner& tuner_;
    const RangeEffort& effort_;
    const TuneHooks& hooks_;
    const Reuse reuse_;
    TuneHooks watched_;
    TuneProgress::Range range_;
    TimeSource::Clock::time_point begun_ = hooks_.time->now();
    double part_s_ = 0;  ///< how long the search under way takes
    double searching_s_ = 0;
    double comparing_s_ = 0;
};

/// Knows the search at the task's own sizes, and waits for its turn before each comparison.
class AroundTuner : public SizeTuner {
public:
    /// All of it must outlive it.
    AroundTuner(SessionTuner& tuner, const Sizes& sizes, const OwnTuning& own,
                const TuneHooks& hooks)
        : tuner_(tuner), sizes_(sizes), own_(own), hooks_(hooks), before_(hooks) {
        before_.has_turn = hooks.may_compare;
    }

    TuneReport search(const Task& task, const SearchPlan& plan) override {
        return task.problem.sizes == sizes_ ? own_.report
                                            : tuner_.tune_prepared(task, plan, hooks_);
    }
    TuneReport compare(const Task& task, const std::vector<std::string>& compared,
                       const SearchPlan& plan) override {
        await_turn(before_);
        return tuner_.compare(task, compared, plan, hooks_);
    }

private:
    SessionTuner& tuner_;
    const Sizes& sizes_;
    const OwnTuning& own_;
    const TuneHooks& hooks_;
    TuneHooks before_;  ///< its turns are those of comparisons
};

/// The winners that comparisons find for the sizes around the call's. Returns none if the
/// comparisons fail or are stopped.
std::vector<Winner> winners_around(SessionTuner& tuner, const Task& task, const OwnTuning& own,
                                   const SearchPlan& plan, const TuneHooks& hooks) {
    const Sizes& sizes = task.problem.sizes;
    AroundTuner around(tuner, sizes, own, hooks);
    // The tuning at the own sizes has counted itself.
    const std::size_t tries = std::max<std::size_t>(tries_of(own.report.winner.certainty), 1) - 1;
    std::vector<Winner> winners;
    try {
        const ActiveTime active(hooks);
        const RangeEffort effort{plan, budget_of(plan) / 2, known_comparisons(tuner.store(), task),
                                 &active};
        winners = range_winners(task, range_around(sizes, own.around, plan.seed), effort,
                                *hooks.stop, around);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::device || *hooks.stop) {
            throw;
        }
        tuner.log().info("{}: the sizes around are left out: {}", task.name(), error.what());
    }
    for (Winner& winner : winners) {
        if (winner.configuration == own.report.winner.configuration) {
            take_rivals(own.report.winner.certainty, winner.certainty);
        }
        count_try(winner.certainty, tries);
    }
    return winners;
}

}  // namespace

OwnTuning tune_own(SessionTuner& tuner, const Task& task, const SearchPlan& plan,
                   const TuneHooks& hooks) {
    tuner.refuse_tuning();
    OwnTuning own;
    own.around = bucket_box(task.problem.sizes);
    tuner.store().ask([&](TuningStore& store) {
        own.around = store.same_winners(task.key(), task.problem.sizes, own.around);
    });
    own.report = tuner.tune_prepared(task, plan, hooks);
    return own;
}

RangeReport widen(SessionTuner& tuner, const Task& task, const OwnTuning& own,
                  const SearchPlan& plan, const TuneHooks& hooks) {
    tuner.refuse_tuning();
    const Sizes& sizes = task.problem.sizes;
    std::vector<Winner> winners = winners_around(tuner, task, own, plan, hooks);
    if (*hooks.stop) {
        return {{own.report.winner}, own.report.stored};
    }
    // Constraints may tell sizes of one range apart.
    const auto is_legal = [&](const Winner& winner) {
        return task.accepts(task.parse(winner.configuration));
    };
    const bool served = std::any_of(winners.begin(), winners.end(), [&](const Winner& winner) {
        return may_serve(trust_of(winner)) && serves(winner, sizes) && is_legal(winner) &&
               !may_be_slower(winner) && !winner.range.by_default;
    });
    if (!served) {
        winners.push_back(
            own.report.winner);  // the last, which takes its sizes away from the others
    }
    Saved saved = tuner.save(winners, sizes);
    if (saved.serving && is_legal(*saved.serving) &&
        std::any_of(winners.begin(), winners.end(), [&](const Winner& winner) {
            return may_serve(trust_of(winner)) && serves(winner, sizes) &&
                   yields(winner, *saved.serving);
        })) {
        winners.push_back(std::move(*saved.serving));
    }
    return {std::move(winners), saved.stored};
}

RangeReport tune_around(SessionTuner& tuner, const Task& task, const SearchPlan& plan,
                        const TuneHooks& hooks) {
    return widen(tuner, task, tune_own(tuner, task, plan, hooks), plan, hooks);
}

RangeReport tune_range(SessionTuner& tuner, const Task& task, const SizeBox& domain,
                       const SearchPlan& plan, const TuneHooks& hooks, Reuse reuse) {
    tuner.refuse_tuning();
    RangeEffort effort{plan, std::chrono::duration_cast<milliseconds>(
                                 budget_of(plan) * 0.75 * std::max(octaves_of(domain), 1.0))};
    // In several dimensions there are more anchors, and their searches together take about the same
    // time: the configurations of few anchors serve too few shapes well.
    effort.plan.budget = plan.budget / (dimensions_of(domain) > 1 ? 6 : 3);
    effort.time = hooks.time;
    if (reuse != Reuse::nothing) {
        effort.known = known_comparisons(tuner.store(), task);
    }
    const RangePlan range = whole_range(task.problem.kernel, domain, plan.seed);
    WholeRangeTuner sizes(tuner, range.anchors.size(), effort, hooks, reuse);
    std::size_t tries = 0;
    std::vector<Winner> of_other_defaults;
    for (const Winner& winner : winners_of(tuner.store(), task, domain)) {
        if (is_of_other_default(task, winner)) {
            of_other_defaults.push_back(winner);
        } else if (is_same_place(winner.provenance, RecordMaker(task).provenance())) {
            tries = std::max(tries, tries_of(winner.certainty));
        }
    }
    tuner.store().tell([&](TuningStore& store) { store.remove(of_other_defaults, false); });
    RangeReport report;
    report.winners = range_winners(task, range, effort, *hooks.stop, sizes);
    for (Winner& winner : report.winners) {
        count_try(winner.certainty, tries);
    }
    report.stored = !report.winners.empty() && tuner.save(report.winners, domain.from).stored;
    return report;
}

std::vector<SizeBox> unserved(SessionStore& store, const Task& task, const SizeBox& domain,
                              Reuse reuse) {
    const RecordMaker record_maker(task);
    std::vector<SizeBox> left{domain};
    for (const Winner& winner : winners_of(store, task, domain)) {
        const Trust least = reuse == Reuse::all ? Trust::provisional : Trust::kept;
        if (trust_of(winner) < least || is_of_other_default(task, winner) ||
            !is_same_place(winner.provenance, record_maker.provenance())) {
            continue;
        }
        left = outside(left, boxes_of(winner).value());
    }
    return left;
}

std::vector<Winner> winners_of(SessionStore& store, const Task& task, const SizeBox& domain) {
    std::vector<Winner> all = store.ask([](TuningStore& open) { return open.winners(); });
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
