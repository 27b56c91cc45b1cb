// SPDX-License-Identifier: Apache-2.0
// The races of Engine: winners in doubt are measured again.
#include <algorithm>
#include <utility>

#include "dispatch/behind/winner_race.hpp"
#include "dispatch/engine.hpp"
#include "jitune/error.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

/// True for a legal configuration. Another program may have written the text.
bool is_legal(const Task& task, const std::string& configuration) {
    try {
        return task.accepts(task.parse(configuration));
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

std::optional<Winner> Engine::race_at(const Task& task, const Sizes& sizes,
                                      const std::vector<std::string>& racers,
                                      const std::string& standing, const TuneHooks& hooks) {
    Task at = task;
    at.problem.sizes = sizes;
    at.check();
    at.kernel.workload->prepare(at.problem);
    SearchPlan plan{.seed = options_.seed, .compared = racers};
    const auto timed = [&] {
        TuneReport report = compare(at, plan, hooks);
        if (*hooks.stop) {  // a part of the racers would decide
            throw Error(ErrorKind::unavailable, "the race was stopped");
        }
        return report;
    };
    TuneReport report = timed();
    const auto best = race_winner(report.measurements, standing);
    if (!best) {
        return std::nullopt;
    }
    if (report.winner.configuration !=
        *best) {  // its binary alone, and its time beside the default
        plan.compared = {*best};
        report = timed();
    }
    return report.winner.configuration == *best ? std::optional(std::move(report.winner))
                                                : std::nullopt;
}

std::optional<Winner> Engine::race_again(const Task& task, const Sizes& sizes, const Winner& stored,
                                         const TuneHooks& hooks) {
    Task at = task;
    at.problem.sizes = sizes;
    const std::string standard = at.default_configuration().text();
    const auto second = store_.ask([&](TuningStore& store) {
        return runner_up(store.measurements().of(stored.key), stored, standard);
    });
    std::vector<std::string> racers{stored.configuration};
    if (second) {
        racers.push_back(*second);
    }
    return race_at(task, sizes, racers, stored.configuration, hooks);
}

RaceReport Engine::race_doubted(const Task& task, const Doubt& doubt, const Winner& stored,
                                const TuneHooks& hooks) {
    using Outcome = RaceReport::Outcome;
    const Sizes own = exact_sizes(stored.sizes).value();
    const Sizes called = doubt.called_sizes().value();
    RaceReport report;
    auto best = race_again(task, own, stored, hooks);
    const bool is_slower = !best || !is_as_stored(best->median_ns, stored);
    if (best) {
        report.median_ns = best->median_ns;
        report.configuration = best->configuration;
        best->range = stored.range;
        best->complete = stored.complete || is_slower;      // a tuning begins anew, then
        if (best->configuration != stored.configuration) {  // nothing is known of other sizes
            best->range.loss_bound = stored.range.covers.empty() ? 0 : kMostLossBound;
            best->range.held_out = 0;
        }
        report.winners.push_back(std::move(*best));
    }
    if (called != own) {
        auto there = race_again(task, called, stored, hooks);
        if (there && there->configuration != report.configuration) {
            report.winners.push_back(std::move(*there));  // serves these sizes alone
        }
    }
    const bool is_kept =
        std::all_of(report.winners.begin(), report.winners.end(),
                    [&](const Winner& one) { return one.configuration == stored.configuration; });
    report.outcome = is_slower ? Outcome::slower : is_kept ? Outcome::confirmed : Outcome::replaced;
    store_.tell([&](TuningStore& store) {
        store.save({}, report.winners);
        store.calls().remove({&doubt, 1});
    });
    return report;
}

RaceReport Engine::race(const Task& task, const Doubt& doubt, const TuneHooks& hooks) {
    refuse_tuning();
    const auto stored =
        store_.ask([&](TuningStore& store) { return store.calls().doubted(doubt); });
    if (!stored || !exact_sizes(stored->sizes) || !doubt.called_sizes()) {
        return {};
    }
    log_.info("racing the winner {} of {}: {}", doubt.configuration, task.name(),
              doubt_sentence(doubt));
    RaceReport report = race_doubted(task, doubt, *stored, hooks);
    ++raced_;
    log_.info("raced {}: {}, {} takes {:.3g} us", task.name(), to_string(report.outcome),
              report.configuration, report.median_ns / 1000);
    return report;
}

bool Engine::adopt(const Task& task, const TuneHooks& hooks) {
    refuse_tuning();
    task.check();
    const auto brought = store_.tell(
        [&](TuningStore& store) { return store.incumbent(task.key(), task.problem.sizes); });
    if (!brought || !was_sure(*brought) || !is_legal(task, brought->configuration)) {
        return false;
    }
    log_.info("compiling the winner {} of {}, which a merge has brought without code",
              brought->configuration, task.name());
    const std::string& own = brought->configuration;
    auto winner = race_at(task, task.problem.sizes, {own}, own, hooks);
    if (!winner || winner->configuration != own) {
        log_.info("{} is not as good for {} here as where it was tuned", own, task.name());
        return false;
    }
    Winner whole = *brought;
    whole.image_format = std::move(winner->image_format);
    whole.image = std::move(winner->image);
    whole.symbols = std::move(winner->symbols);
    whole.range.unsure = false;
    return store_.tell(
        [&](TuningStore& store) { return store.merges().give_code(*brought, whole); });
}

}  // namespace jitune::internal
