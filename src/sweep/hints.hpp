// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "strategy/recorded_space.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// The configurations of recorded results that are worth trying first.
class Hints {
public:
    Hints() = default;
    /// `source` names the results in messages: "--from results.json".
    Hints(std::string source, const RecordedSpace& recorded);

    /// SearchPlan::hints: the fastest recorded configurations, at most 20, that are legal for the
    /// task. None without results. Throws Error(usage) if the results have other parameters than
    /// the kernel.
    [[nodiscard]] std::vector<std::string> for_task(const Task& task) const;

private:
    std::string source_;
    std::vector<std::string> names_;           ///< of the parameters, sorted
    std::vector<std::string> configurations_;  ///< that worked, fastest first
};

}  // namespace jitune::internal
