// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sweep/work_order.hpp"

namespace jitune::bench {

/// One tuning of an item of the work-list.
struct MeasuredTuning {
    double seconds = 0;
    std::vector<internal::Winner> winners = {};  ///< without images; none: it failed
};

/// An item, tuned with each effort, and what its call takes by each answer.
struct MeasuredItem {
    internal::WorkItem item;
    std::map<internal::Effort, MeasuredTuning> tunings;
    std::string standard;                    ///< the default configuration
    std::map<std::string, double> times_ns;  ///< by configuration, compared at the first sizes
};

/// All that a GPU is needed for.
struct Measured {
    std::string trace;
    std::string device_name;
    double budget_s = 0;
    double brief_part = 0;  ///< of the budget
    std::vector<MeasuredItem> items = {};
};

void save(const Measured& measured, const std::filesystem::path& path);

/// Throws Error(usage) for a file that save() has not written.
Measured load(const std::filesystem::path& path);

}  // namespace jitune::bench
