// SPDX-License-Identifier: Apache-2.0
#include "sweep/doubt_races.hpp"

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// Ends the race of `race.doubt`. Throws Error(usage) if the kernel is none of this build's.
void run(Engine& engine, Device& device, const SearchPlan& plan, const TuneHooks& hooks,
         DoubtRace& race) {
    const Doubt& doubt = race.doubt;
    CallRecord called;
    called.key = doubt.key;
    called.sizes = doubt.called;
    const auto spec = doubt.spec();
    const auto types = called.problem_types();
    if (!spec || !types) {
        throw Error(ErrorKind::usage,
                    "the stored doubt has no kernel spec: tune its problem again");
    }
    const Kernel kernel = make_kernel(engine.families(), *spec);
    const Problem problem{doubt.key.kernel, *types, doubt.called_sizes().value(),
                          doubt.key.alignment};
    const Task task{device, kernel, problem};
    if (!task.key().is_like(doubt.key)) {
        throw Error(ErrorKind::usage, "it was made from another version of the kernel's template");
    }
    race.report = engine.tuner().race(task, doubt, hooks);
    if (race.report.outcome == RaceReport::Outcome::slower) {
        kernel.workload->prepare(problem);
        tune_around(engine.tuner(), task, plan, hooks);
        race.is_tuned = true;
    }
}

}  // namespace

std::vector<DoubtRace> race_doubts(Engine& engine, Device& device, const SearchPlan& plan,
                                   const TuneHooks& hooks, const Deadline& until) {
    TuningStore* const store = engine.store();
    std::vector<DoubtRace> races;
    for (const Doubt& doubt : store == nullptr ? std::vector<Doubt>() : store->calls().doubts()) {
        if (*hooks.stop || is_late(until, *hooks.time)) {
            break;
        }
        if (doubt.key.device_class != device.info().device_class) {
            continue;
        }
        races.emplace_back().doubt = doubt;
        try {
            run(engine, device, plan, hooks, races.back());
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::device) {  // lost
                throw;
            }
            races.back().error = error.what();
        }
    }
    return races;
}

}  // namespace jitune::internal
