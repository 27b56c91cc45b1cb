// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/report_data.hpp"

namespace jitune::internal {

/// How often candidates have failed for one reason.
struct FailureCount {
    Verdict verdict = Verdict::timed;
    std::string reason;         ///< its first line
    std::string configuration;  ///< of the first
    std::size_t count = 0;
};

/// The most frequent first.
std::vector<FailureCount> failure_counts(std::span<const TriedCandidate> candidates);

}  // namespace jitune::internal
