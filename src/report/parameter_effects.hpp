// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/report_data.hpp"

namespace jitune::internal {

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

}  // namespace jitune::internal
