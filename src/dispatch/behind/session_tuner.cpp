// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/session_tuner.hpp"

#include <algorithm>
#include <utility>

#include "dispatch/behind/range_winners.hpp"
#include "dispatch/behind/stored_costs.hpp"
#include "dispatch/session_options.hpp"
#include "jitune/error.hpp"
#include "measure/conditions.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"
#include "tuning/record/measurement_recorder.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/compile_ahead.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {

namespace {

/// Removes winners by default for the task's sizes whose default is another one since: else a fresh
/// winner would yield to them, also to a pinned one.
void forget_other_defaults(TuningStore& store, const Task& task) {
    for (auto row = store.find(task.key(), task.problem.sizes);
         row && is_of_other_default(task, *row); row = store.find(task.key(), task.problem.sizes)) {
        if (store.remove({&*row, 1}, false) == 0) {
            return;
        }
    }
}

/// True for a legal configuration. Another program may have written the text.
bool is_legal(const Task& task, const std::string& configuration) {
    try {
        return task.accepts(task.parse(configuration));
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

void SessionTuner::refuse_tuning() const {
    fork_guard_.refuse();
    refuse_sink();
    refuse_frozen(options_);
}

TuneReport SessionTuner::tune(const Task& task, const SearchPlan& plan, const TuneHooks& hooks) {
    refuse_tuning();
    task.check();
    task.kernel.workload->prepare(task.problem);
    return tune_prepared(task, plan, hooks);
}

TuneReport SessionTuner::tune_prepared(const Task& task, SearchPlan plan, const TuneHooks& hooks) {
    refuse_tuning();
    log_.info("tuning {}", task.name());
    const bool compiles_here = !isolation_.isolates(task.kernel, hooks.low_priority);
    task.device.expect_compiles(compiles_here ? CompileAhead::or_usual(plan.compile_threads) : 0,
                                hooks.given_up);
    const RecordMaker record_maker(task);
    store_.tell([&](TuningStore& store) {
        std::call_once(recovered_, [&] { MeasurementJournal::recover(options_.database, store); });
        forget_other_defaults(store, task);
    });
    const StepLimits limits{options_.hang_limit, options_.compile_limit};
    const auto stored =
        store_.ask([&](TuningStore& store) { return recall(store, record_maker, limits, plan); });
    const bool is_own = stored && is_same_place(stored->provenance, record_maker.provenance());
    const std::size_t tries = is_own ? tries_of(stored->certainty) : 0;
    TuneReport report = tune_distrustfully(record_maker, plan, hooks, tries);
    report.history = std::move(plan.history);
    report.incumbent = std::move(plan.incumbent);
    ++tunings_;
    log_.info("tuned {}: {} of {} configurations tried, the winner takes {:.3g} us: {}",
              task.name(), report.progress.evaluated, report.progress.space,
              report.winner.median_ns / 1000, report.winner.configuration);
    return report;
}

TuneReport SessionTuner::tune_distrustfully(const RecordMaker& record_maker, SearchPlan& plan,
                                            const TuneHooks& hooks, std::size_t tries) {
    try {
        return tune_journalled(record_maker, plan, hooks, tries);
    } catch (const Error& error) {
        const bool no_winner =
            error.kind() == ErrorKind::verify || error.kind() == ErrorKind::compile;
        if (!no_winner || !forget_results(plan)) {
            throw;
        }
        log_.info("{}; trying all configurations again, also those that failed in earlier tunings",
                  error.what());
    }
    return tune_journalled(record_maker, plan, hooks, tries);
}

TuneReport SessionTuner::tune_journalled(const RecordMaker& record_maker, const SearchPlan& plan,
                                         TuneHooks hooks, std::size_t tries) {
    const Task& task = record_maker.task();
    MeasurementRecorder recorder(store_.writable() == nullptr ? "" : options_.database,
                                 record_maker, log_);
    hooks.observer = &recorder;
    const auto save_measurements = [&] {
        store_.tell([&](TuningStore& store) { recorder.save(store); });
    };
    try {
        auto report = isolation_.tune(record_maker, plan, hooks);
        if (!report) {
            BinaryCache binaries = binaries_.until(hooks.given_up);
            report = internal::tune(task, plan, hooks, binaries, log_);
        }
        if (hooks.given_up.stop_possible() && *hooks.stop) {  // a part's best would answer for good
            throw CompileStopped();
        }
        count_try(report->winner.certainty, tries);
        Saved saved = store_.tell([&](TuningStore& store) {
            return Saved{true, recorder.save(store, report->winner, task.problem.sizes)};
        });
        report->stored = saved.stored;
        if (saved.serving && yields(report->winner, *saved.serving)) {
            report->winner = std::move(*saved.serving);
            report->kept = true;
        }
        return std::move(*report);
    } catch (const CompileStopped&) {
        save_measurements();
        throw Error(ErrorKind::unavailable, "the session has ended");
    } catch (const Error&) {
        save_measurements();
        throw;
    }
}

TuneReport SessionTuner::compare(const Task& task, const std::vector<std::string>& compared,
                                 const SearchPlan& plan, const TuneHooks& hooks) {
    refuse_tuning();
    const auto begin = hooks.time->now();
    auto made = isolation_.compare(RecordMaker(task), compared, plan, hooks);
    BinaryCache binaries = binaries_.until(hooks.given_up);
    TuneReport report =
        made ? std::move(*made) : internal::compare(task, compared, plan, hooks, binaries, log_);
    log_.debug("compared {} configurations of {} in {:.3g} s", compared.size(), task.name(),
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

Saved SessionTuner::save(std::span<const Winner> winners, std::span<const std::int64_t> sizes) {
    refuse_tuning();
    Saved saved = store_.tell([&](TuningStore& store) {
        return Saved{true, store.save({}, winners, sizes)};
    });
    if (!saved.stored) {  // such as a write protected database
        saved.serving =
            store_.ask([&](TuningStore& store) { return store.find(winners.front().key, sizes); });
    }
    return saved;
}

bool SessionTuner::save_choice(const Task& task, const std::string& objective, Winner& choice) {
    refuse_tuning();
    Conditions conditions = Conditions::parse(choice.certainty.conditions);
    conditions.objective = objective;
    choice.certainty.conditions = conditions.text();
    return store_.tell(
        [&](TuningStore& store) { return store.save_choice(choice, task.problem.sizes); });
}

void SessionTuner::save(std::span<const Measurement> measurements) {
    refuse_tuning();
    store_.tell([&](TuningStore& store) {
        store.save(measurements);
        return true;
    });
}

std::optional<Winner> SessionTuner::complete_winner(const Task& task) {
    task.check();
    return store_.ask(
        [&](TuningStore& store) { return internal::complete_winner(store, RecordMaker(task)); });
}

std::optional<Winner> SessionTuner::race_at(const Task& task, const Sizes& sizes,
                                            const std::vector<std::string>& racers,
                                            const std::string& standing, const TuneHooks& hooks) {
    Task at = task;
    at.problem.sizes = sizes;
    at.check();
    at.kernel.workload->prepare(at.problem);
    const auto timed = [&](const std::vector<std::string>& compared) {
        TuneReport report = compare(at, compared, {.seed = options_.seed}, hooks);
        if (*hooks.stop) {  // a part of the racers would decide
            throw Error(ErrorKind::unavailable, "the race was stopped");
        }
        return report;
    };
    TuneReport report = timed(racers);
    const auto best = race_winner(report.measurements, standing);
    if (!best) {
        return std::nullopt;
    }
    if (report.winner.configuration != *best) {
        report = timed({*best});  // its binary alone, and its time beside the default
    }
    return report.winner.configuration == *best ? std::optional(std::move(report.winner))
                                                : std::nullopt;
}

std::optional<Winner> SessionTuner::race_again(const Task& task, const Sizes& sizes,
                                               const Winner& stored, const TuneHooks& hooks) {
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

RaceReport SessionTuner::race_doubted(const Task& task, const Doubt& doubt, const Winner& stored,
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

RaceReport SessionTuner::race(const Task& task, const Doubt& doubt, const TuneHooks& hooks) {
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

bool SessionTuner::adopt(const Task& task, const TuneHooks& hooks) {
    refuse_tuning();
    task.check();
    const auto brought = store_.tell(
        [&](TuningStore& store) { return store.incumbent(task.key(), task.problem.sizes); });
    if (!brought || !was_sure(*brought) || is_of_other_default(task, *brought)) {
        return false;
    }
    const auto store_with = [&](const std::string& format, const std::string& image,
                                const std::vector<std::string>& symbols) {
        Winner whole = *brought;
        whole.image_format = format;
        whole.image = image;
        whole.symbols = symbols;
        whole.range.unsure = false;
        return store_.tell(
            [&](TuningStore& store) { return store.merges().give_code(*brought, whole); });
    };
    if (brought->range.by_default) {  // the default is no other one here, and needs no race
        Task there = task;
        there.problem.sizes = exact_sizes(brought->sizes).value();
        const CompileOutcome outcome =
            binaries_.compile(there, there.instance(there.default_configuration()));
        const Binary* const binary = std::get_if<Binary>(&outcome);
        return binary != nullptr && store_with(binary->format, *binary->image, binary->symbols);
    }
    if (!is_legal(task, brought->configuration)) {
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
    return store_with(winner->image_format, winner->image, winner->symbols);
}

}  // namespace jitune::internal
