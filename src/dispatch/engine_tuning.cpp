// SPDX-License-Identifier: Apache-2.0
// The tunings of Engine at single sizes.
#include <utility>

#include "dispatch/engine.hpp"
#include "dispatch/options_check.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuning/record/measurement_recorder.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/compile_ahead.hpp"
#include "tuning/search/tuning_history.hpp"

namespace jitune::internal {

void Engine::refuse_sink() {
    if (Log::is_in_sink()) {
        throw Error(
            ErrorKind::usage,
            "Options::log_sink called jitune, which waits there for the end of the message: "
            "have the sink hand its messages to another thread");
    }
}

void Engine::refuse_tuning() const {
    refuse_fork();
    refuse_sink();
    refuse_frozen(options_);
}

TuneReport Engine::tune_and_store(const Task& task, SearchPlan plan, const TuneHooks& hooks) {
    refuse_tuning();
    task.check();
    task.kernel.workload->prepare(task.problem);
    return tune_prepared(task, std::move(plan), hooks);
}

bool Engine::store_choice(const Task& task, const std::string& objective, Winner& choice) {
    refuse_tuning();
    Conditions conditions = Conditions::parse(choice.certainty.conditions);
    conditions.objective = objective;
    choice.certainty.conditions = conditions.text();
    return store_.tell(
        [&](TuningStore& store) { return store.save_choice(choice, task.problem.sizes); });
}

void Engine::store_measurements(std::span<const Measurement> measurements) {
    refuse_tuning();
    store_.tell([&](TuningStore& store) {
        store.save(measurements);
        return true;
    });
}

std::optional<Winner> Engine::complete_winner(const Task& task) {
    task.check();
    return store_.ask(
        [&](TuningStore& store) { return internal::complete_winner(store, RecordMaker(task)); });
}

TuneReport Engine::tune_prepared(const Task& task, SearchPlan plan, const TuneHooks& hooks) {
    log_.info("tuning {}", task.name());
    const bool compiles_here = !isolation_.isolates(task.kernel, hooks.low_priority);
    task.device.expect_compiles(compiles_here ? CompileAhead::or_usual(plan.compile_threads) : 0,
                                hooks.given_up);
    const RecordMaker record_maker(task);
    store_.tell([&](TuningStore& store) {
        std::call_once(recovered_, [&] { MeasurementJournal::recover(options_.database, store); });
    });
    const StepLimits limits{options_.hang_limit, options_.compile_limit};
    store_.ask([&](TuningStore& store) { recall(store, record_maker, limits, plan); });
    TuneReport report = tune_distrustfully(record_maker, plan, hooks);
    report.history = std::move(plan.history);
    report.incumbent = std::move(plan.incumbent);
    ++tunings_;
    log_.info("tuned {}: {} of {} configurations tried, the winner takes {:.3g} us: {}",
              task.name(), report.progress.evaluated, report.progress.space,
              report.winner.median_ns / 1000, report.winner.configuration);
    return report;
}

TuneReport Engine::tune_distrustfully(const RecordMaker& record_maker, SearchPlan& plan,
                                      const TuneHooks& hooks) {
    try {
        return tune_journalled(record_maker, plan, hooks);
    } catch (const Error& error) {
        const bool no_winner =
            error.kind() == ErrorKind::verify || error.kind() == ErrorKind::compile;
        if (!no_winner || !forget_results(plan)) {
            throw;
        }
        log_.info("{}; trying all configurations again, also those that failed in earlier tunings",
                  error.what());
    }
    return tune_journalled(record_maker, plan, hooks);
}

std::size_t Engine::earlier_tries(const RecordMaker& record_maker) {
    const Task& task = record_maker.task();
    const auto winner = store_.ask(
        [&](TuningStore& store) { return store.incumbent(task.key(), task.problem.sizes); });
    return winner && is_same_place(winner->provenance, record_maker.provenance())
               ? tries_of(winner->certainty)
               : 0;
}

TuneReport Engine::tune_journalled(const RecordMaker& record_maker, const SearchPlan& plan,
                                   TuneHooks hooks) {
    MeasurementRecorder recorder(store_.writable() == nullptr ? "" : options_.database,
                                 record_maker, log_);
    hooks.observer = &recorder;
    const auto save = [&](std::span<const Winner> winners) {
        return store_.tell([&](TuningStore& store) {
            recorder.save(store, winners);
            return true;
        });
    };
    const std::size_t tries = earlier_tries(record_maker);
    try {
        auto report = isolation_.tune(record_maker, plan, hooks);
        if (!report) {
            BinaryCache binaries = binaries_.until(hooks.given_up);
            report = tune(record_maker.task(), plan, hooks, binaries, log_);
        }
        if (hooks.given_up.stop_possible() && *hooks.stop) {  // a part's best would answer for good
            throw CompileStopped();
        }
        count_try(report->winner.certainty, tries);
        report->stored = save({&report->winner, 1});
        take_kept(record_maker.task(), *report);
        return std::move(*report);
    } catch (const CompileStopped&) {
        save({});
        throw Error(ErrorKind::unavailable, "the session has ended");
    } catch (const Error&) {
        save({});
        throw;
    }
}

void Engine::take_kept(const Task& task, TuneReport& report) {
    if (!report.stored) {
        return;
    }
    auto winner =
        store_.ask([&](TuningStore& store) { return store.find(task.key(), task.problem.sizes); });
    if (winner && yields(report.winner, *winner)) {
        report.winner = std::move(*winner);
        report.kept = true;
    }
}

}  // namespace jitune::internal
