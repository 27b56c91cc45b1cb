// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/common_options.hpp"
#include "cli/sweep_result.hpp"

namespace jitune::internal {

/// The arguments that the sweeps of all kernels have, as they were written.
struct SweepArguments : CommonArguments {
    std::string device = "auto";
    std::string strategy = Options{}.strategy;
    std::string seed = "0";
    std::size_t evaluations = 0;
    std::string target;
    std::string from;
    std::string hang_limit;
    bool no_isolation = false;

    std::vector<Option> options_of_all_sweeps();
};

/// Tunes the problems of `plan`, stores what it finds and prints each as it finishes. Returns the
/// exit code; throws Error.
int run_sweep(const SweepArguments& arguments, SweepPlan plan);

}  // namespace jitune::internal
