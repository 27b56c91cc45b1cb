// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/formats/json.hpp"
#include "dispatch/engine.hpp"
#include "tuning/objective.hpp"

namespace jitune::internal {

/// What a tuning does with its fastest candidates after it has the winner by time.
struct FinalistWishes {
    Objective objective;
    std::size_t count = 5;  ///< of candidates, beside the default
    bool counters = false;  ///< read the hardware's counters
    bool quiet = false;     ///< do not say how long it takes

    [[nodiscard]] bool any() const { return counters || objective.kind != Objective::Kind::time; }
};

/// The fastest candidates as the objective sees them, and the one it has chosen.
struct ObjectiveResult {
    struct Row {
        Judged judged;
        FinalistFigures figures;
        std::vector<KernelTemplate::Metric> metrics;  ///< with the energy, if it was measured
        bool is_best_compromise = false;              ///< on the Pareto front of time and cost
    };
    Objective objective;
    std::vector<Row> rows;    ///< the fastest first
    std::size_t chosen = 0;   ///< in `rows`
    bool pinned = false;      ///< the chosen one is stored, and pinned
    bool disturbed = false;   ///< the times behind the choice are disturbed: nothing is stored
    std::string no_counters;  ///< why counters could not be read; also empty if nobody asked
};

/// Measures what the wishes need, and stores it. For an objective other than time, chooses a
/// finalist and puts it into the report and, pinned, into the database: later tunings compare times
/// and would replace it. A choice by disturbed times is not stored. Nothing if a stop request
/// has cut it short or no finalist is left: the winner by time stays. Throws as study_finalists()
/// does, and Error(usage) for a metric that has no value for a finalist.
std::optional<ObjectiveResult> study_tuned(const FinalistWishes& wishes, Engine& engine,
                                           const Task& task, const SearchPlan& plan,
                                           const TuneHooks& hooks, TuneReport& report);

/// Tables of the finalists and of their counters, and a line that names the chosen one.
std::string objective_text(const ObjectiveResult& result);
/// {"objective": …, "finalists": […]}
Json objective_json(const ObjectiveResult& result);

}  // namespace jitune::internal
