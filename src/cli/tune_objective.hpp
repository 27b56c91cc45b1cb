// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/json.hpp"
#include "dispatch/engine.hpp"
#include "tuning/objective.hpp"

namespace jitune::internal {

/// The finalists of a tuning as an objective other than time sees them, and the one it has chosen.
struct ObjectiveResult {
    struct Row {
        Judged judged;
        FinalistFigures figures;
        std::vector<KernelTemplate::Metric> metrics;  ///< with the energy, where it was measured
        bool is_best_compromise = false;              ///< on the Pareto front of time and cost
    };
    Objective objective;
    std::vector<Row> rows;   ///< the fastest first
    std::size_t chosen = 0;  ///< in `rows`
    bool pinned = false;     ///< the chosen one is stored, and pinned
};

/// Measures what the objective needs of the `count` fastest candidates and of the default, chooses,
/// and puts the choice into the report and, pinned, into the database: later tunings go by time and
/// would replace it. Says how long it will take unless `quiet`. Throws as study_energy() does, and
/// Error(unavailable) where a stop request has left no finalist with figures.
ObjectiveResult choose_by(const Objective& objective, std::size_t count, Engine& engine,
                          const Task& task, const TuneHooks& hooks, bool quiet, TuneReport& report);

/// A table of the finalists, and a line that names the chosen one.
std::string objective_text(const ObjectiveResult& result);
/// {"objective": …, "finalists": […]}
Json objective_json(const ObjectiveResult& result);

}  // namespace jitune::internal
