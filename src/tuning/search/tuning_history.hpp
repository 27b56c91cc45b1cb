// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/record/record_maker.hpp"
#include "tuning/search/search_plan.hpp"

namespace jitune::internal {

/// The results of earlier tunings that the next one builds on.
struct TuningHistory {
    std::vector<Measurement> known;     ///< SearchPlan::history: the last of each configuration
    std::vector<std::string> suspects;  ///< SearchPlan::suspects
};

/// How long one step of a tuning may take today.
struct StepLimits {
    std::chrono::milliseconds candidate;  ///< Options::hang_limit
    std::chrono::milliseconds compile;    ///< Options::compile_limit
};

/// Makes the history from all measurements of a key, oldest first. With `resume`, takes the
/// verdicts at the same sizes with the same device, driver and compiler as `now`; without it, only
/// verdicts on configurations that must never run again. Tries three kinds of configurations again,
/// because the reason may have passed: those that the device refused, those that had less time than
/// `limits` give, and all of them if none works by its last verdict. A configuration that was under
/// way when the machine went down is a suspect until it has been measured. If it was under way
/// twice, the second time alone, it is quarantined: known as crashed.
TuningHistory tuning_history(const std::vector<Measurement>& rows, const std::string& sizes,
                             const Provenance& now, bool resume, const StepLimits& limits);

/// Sets the incumbent, the history and the suspects of a plan from the database, and adds the
/// winners of the nearest other sizes to its hints. Returns the incumbent, if there is one. A
/// tuning that was complete begins anew, with its winner as the incumbent; one that was not is
/// resumed, unless the plan is SearchPlan::anew. Throws Error(store).
std::optional<Winner> recall(TuningStore& store, const RecordMaker& record_maker,
                             const StepLimits& limits, SearchPlan& plan);

/// Removes all verdicts from a plan's history but those that forbid to run a configuration again.
/// Returns true if there were others.
bool forget_results(SearchPlan& plan);

/// The stored winner of a task to which a further search would add nothing: its tuning was
/// complete, with the same device, driver and compiler, and the task's own sizes were tried. Throws
/// Error(store).
std::optional<Winner> complete_winner(TuningStore& store, const RecordMaker& record_maker);

/// True if a compile failed for lack of memory, space, files, processes or time: the next one may
/// succeed.
bool lacked_resources(Verdict verdict, std::string_view reason);

/// The reason in the verdict on a step that did not end within `limit`: "did not end in 60 s".
/// tuning_history() reads the limit in it.
std::string no_end_reason(std::chrono::milliseconds limit);

/// The reason in the verdict on a candidate that was under way with so many `others` when the
/// machine went down.
std::string machine_down_reason(std::size_t others);

}  // namespace jitune::internal
