// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/tune/kept_programs.hpp"
#include "cli/tune/tried_candidates.hpp"
#include "cli/tune/tune_objective.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// The outcome of `jitune tune`.
struct TuneResult {
    const Task& task;
    std::string file;
    std::string strategy;
    std::string database;  ///< empty: the winner is not stored
    TuneReport report;
    bool is_left_out = false;  ///< the winner is no configuration that --only leaves
    TriedCandidates tried;
    std::vector<KeptConfiguration> sources = {};  ///< that --keep has written
    std::optional<ObjectiveResult> objective;     ///< of --objective and --counters

    [[nodiscard]] const Winner& winner() const { return report.winner; }
    [[nodiscard]] bool is_stored() const { return !database.empty() && report.stored; }
    /// True if the winner should be in the database and is not.
    [[nodiscard]] bool lacks_winner() const { return !database.empty() && !report.stored; }
};

/// Times, metrics and speed-up, what was tried, and how an app calls the kernel.
std::string tune_text(const TuneResult& result);

/// docs/reference/command_line.md has the keys.
Json tune_json(const TuneResult& result);

}  // namespace jitune::internal
