// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace jitune::internal {

/// What conditions of rules may ask of problems, with the answer of each problem.
struct RuleQuestions {
    struct Quantity {
        std::string text;  ///< "bytes"
        std::vector<double> values;
    };
    struct Fact {
        std::string text;  ///< "element_bytes = 4"
        std::vector<bool> holds;
    };
    /// The simpler ones first: of conditions that hold for the same problems, the first counts.
    std::vector<Quantity> quantities;
    std::vector<Fact> facts;

    /// Adds one, unless it tells nothing, or no more than one that is there: its values are all
    /// equal, or in one proportion to those of another.
    void add(Quantity quantity);
    void add(Fact fact);
};

/// When a rule holds: a quantity is up to a threshold or above it, and a fact is true. Without
/// both, always.
struct RuleCondition {
    struct Threshold {
        std::size_t quantity = 0;
        bool is_above = false;  ///< else: at most
        std::int64_t value = 0;

        bool operator==(const Threshold&) const = default;
    };
    std::optional<Threshold> threshold = {};
    std::optional<std::size_t> fact = {};

    [[nodiscard]] bool holds(const RuleQuestions& questions, std::size_t problem) const;
    [[nodiscard]] std::size_t terms() const { return (threshold ? 1U : 0U) + (fact ? 1U : 0U); }
    /// "bytes <= 262144 AND adds"; empty: always.
    [[nodiscard]] std::string text(const RuleQuestions& questions) const;

    bool operator==(const RuleCondition&) const = default;
};

/// A number that is at least `low` and below `high`: the power of two that is nearest to the middle
/// of their logarithms; without one, 1.5 times a power of two. Nothing if there is none.
std::optional<std::int64_t> round_threshold(double low, double high);

}  // namespace jitune::internal
