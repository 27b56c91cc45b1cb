// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "backend/device.hpp"
#include "measure/conditions.hpp"
#include "space/configuration.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// The verdict on one configuration in the first round, the search.
struct Evaluation {
    std::size_t index = 0;  ///< in the search space
    Configuration configuration;
    Verdict verdict = Verdict::timed;
    std::string reason;
    bool unloadable = false;  ///< the device does not take its code
    std::vector<double> samples_ns;
    bool by_earlier_search = false;  ///< an earlier search took the samples
    Conditions conditions;           ///< of the samples
    double median_ns = 0;            ///< if timed
    std::optional<Binary> binary;    ///< if compiled by this search, and timed or checked
};

/// Throws Error(verify) that counts the verdicts and quotes the first reason; Error(compile) if no
/// code could be loaded, and Error(unavailable) if nothing was tried.
[[noreturn]] void throw_no_winner(const Task& task, const std::vector<Evaluation>& evaluations);

}  // namespace jitune::internal
