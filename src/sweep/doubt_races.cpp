// SPDX-License-Identifier: Apache-2.0
#include "sweep/doubt_races.hpp"

#include <utility>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// Throws Error(usage) where the kernel is none of this build's.
DoubtRace raced(Engine& engine, Device& device, const SearchPlan& plan, const TuneHooks& hooks,
                const Doubt& doubt) {
    Miss called;
    called.key = doubt.key;
    called.sizes = doubt.called;
    const auto spec = doubt.spec();
    const auto types = called.problem_types();
    if (!spec || !types) {
        throw Error(ErrorKind::usage, "its row does not say from what its kernel is made");
    }
    const Kernel kernel = make_kernel(engine.families(), *spec);
    const Problem problem{doubt.key.kernel, *types, doubt.called_sizes().value(),
                          doubt.key.alignment};
    const Task task{device, kernel, problem};
    if (!task.key().is_like(doubt.key)) {
        throw Error(ErrorKind::usage, "it was made from another version of the kernel's template");
    }
    DoubtRace race{doubt, engine.race(task, doubt, hooks)};
    if (race.report.outcome == RaceReport::Outcome::slower) {
        kernel.workload->prepare(problem);
        engine.tune_around(task, plan, hooks);
        race.is_tuned = true;
    }
    return race;
}

}  // namespace

std::vector<DoubtRace> race_doubts(Engine& engine, Device& device, const SearchPlan& plan,
                                   const TuneHooks& hooks) {
    TuningStore* const store = engine.store();
    std::vector<DoubtRace> races;
    for (const Doubt& doubt : store == nullptr ? std::vector<Doubt>() : store->doubts()) {
        if (*hooks.stop) {
            break;
        }
        if (doubt.key.device_class != device.info().device_class) {
            continue;
        }
        try {
            races.push_back(raced(engine, device, plan, hooks, doubt));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::device) {  // lost
                throw;
            }
            races.push_back({doubt, {}, false, error.what()});
        }
    }
    return races;
}

}  // namespace jitune::internal
