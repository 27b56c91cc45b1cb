// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/app/output.hpp"
#include "cli/tune/kept_programs.hpp"
#include "cli/tune/tried_candidates.hpp"
#include "cli/tune/tune_objective.hpp"
#include "template/kernel_template.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// The outcome of `jitune tune`.
struct TuneResult {
    std::string file;
    std::string kernel;
    std::string device;
    std::string device_name;
    std::string compiler;
    std::string strategy;
    std::string database;  ///< empty: the winner is not stored
    std::vector<std::pair<std::string, std::int64_t>> sizes;
    std::vector<std::pair<std::string, std::string>> types;
    Winner winner;
    bool is_left_out = false;  ///< the winner is no configuration that --only leaves
    TriedCandidates tried;
    std::vector<KeptConfiguration> sources;       ///< that --keep has written
    std::vector<KernelTemplate::Metric> metrics;  ///< of the winner
    std::vector<KernelTemplate::Metric> before;   ///< of the default
    std::optional<ObjectiveResult> objective;     ///< of --objective and --counters
    std::size_t arguments = 0;                    ///< that a call passes
    bool stored = false;                          ///< in the database
    bool kept = false;                            ///< TuneReport::kept

    /// True if the winner should be in the database and is not.
    [[nodiscard]] bool lacks_winner() const { return !database.empty() && !stored; }
};

/// Times, metrics and speed-up, what was tried, and how an app calls the kernel.
std::string tune_text(const TuneResult& result);

/// docs/reference/command_line.md has the keys.
Json tune_json(const TuneResult& result);

}  // namespace jitune::internal
