// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "cli/app/common_options.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "sweep/sweep.hpp"

namespace jitune::internal {

/// The arguments of sweeps, as text.
struct SweepArguments : CommonArguments {
    FamilyArguments problems;  ///< one for each row of SweepFamily::arguments
    std::string device;
    std::string strategy = Options{}.strategy;
    std::string seed = "0";
    std::size_t evaluations = 0;
    std::string target;
    std::string from;
    bool again = false;
    std::string within;  ///< of the work-list
    std::string plan;    ///< the folder to write a plan into, instead of tuning
    std::string report;  ///< a file for the page of jitune report; empty: none
};

/// Throws Error(usage).
Options sweep_options(const SweepArguments& arguments);

/// Throws Error(usage), also if recorded results cannot be read.
SweepSearch sweep_search(const SweepArguments& arguments);

}  // namespace jitune::internal
