// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/tune/kept_programs.hpp"
#include "tuning/search/search_plan.hpp"
#include "tuning/task.hpp"
#include "tuning/tuner.hpp"

namespace jitune::internal {

/// A configuration whose program was kept.
struct KeptConfiguration {
    std::string role;  ///< "winner", "default" or "first"; several with commas
    std::string configuration;
    std::filesystem::path folder;
};

/// Keeps the programs of a tuning's winner, of the default and of SearchPlan::first. `command` is
/// that of the tuning: "tune", the file and the problem's options. Throws Error as KeptPrograms
/// does, and Error(unavailable) without a compiler.
std::vector<KeptConfiguration> keep_tuned(const KeptPrograms& programs, const Task& task,
                                          const SearchPlan& plan, const TuneReport& report,
                                          const std::vector<std::string>& command);

}  // namespace jitune::internal
