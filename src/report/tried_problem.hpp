// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/report_data.hpp"

namespace jitune::internal {

/// What the measurements of one key, oldest first, tell of the exact size that most of its search
/// was about; nothing if no search has tried anything. `winners` may be of any keys.
std::optional<TriedProblem> tried_problem(const std::vector<Measurement>& measurements,
                                          std::span<const Winner> winners);

/// What the values of one parameter do to the time, as the candidates of a search show it.
struct ParameterEffect {
    struct Value {
        std::string value;
        std::size_t candidates = 0;  ///< that were timed
        double median = 0;           ///< of their times over the best of all
        double best = 0;
    };
    std::string name;
    std::vector<Value> values;  ///< fastest median first
    /// The largest median over the least.
    [[nodiscard]] double spread() const { return values.back().median / values.front().median; }
};

/// Of the parameters that have two values or more among the candidates that were timed, those of
/// the largest spread first.
std::vector<ParameterEffect> parameter_effects(std::span<const TriedCandidate> candidates);

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
