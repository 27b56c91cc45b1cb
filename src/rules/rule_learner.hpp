// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "rules/loss_table.hpp"
#include "rules/rule_condition.hpp"

namespace jitune::internal {

struct LearnedRule {
    RuleCondition condition;
    std::size_t configuration = 0;

    bool operator==(const LearnedRule&) const = default;
};

/// A decision list: the first rule answers that holds and whose configuration the problem does not
/// exclude. If none does, the parameters' own defaults answer.
using RuleList = std::vector<LearnedRule>;

/// The place in the list of the rule that answers; LossTable::kNone: none does.
std::size_t answering_rule(const RuleList& rules, const LossTable& table,
                           const RuleQuestions& questions, std::size_t problem);

/// What the list gives at each problem of the table.
std::vector<LossCell> answers_of(const RuleList& rules, const LossTable& table,
                                 const RuleQuestions& questions);

/// Learns a list from some problems of a table. It makes the mean over the problems small of
/// l + l^2, where l is the logarithm of what the answer loses: the geometric mean counts, and large
/// losses count more. A rule, each of its conditions and each value that differs from a
/// parameter's own default have a small price, so the simpler of two lists wins that are about as
/// good. No rule answers a problem at which nothing is known of its configuration. Each answers
/// four problems or more, of a larger number, and at its place most of those for which it holds.
class RuleLearner {
public:
    /// `table` and `questions` must outlive the learner.
    RuleLearner(const LossTable& table, const RuleQuestions& questions,
                std::span<const std::size_t> problems);

    /// At most `most` rules.
    [[nodiscard]] RuleList learn(std::size_t most) const;

private:
    struct Place;   // of a rule in a list
    struct Subset;  // problems in the order of a quantity
    struct Change {
        double cost = std::numeric_limits<double>::infinity();  ///< of the list with it
        LearnedRule rule = {};
    };

    /// The sum over the problems, and the rules' prices.
    [[nodiscard]] double cost_of(const RuleList& rules) const;
    [[nodiscard]] double price_of(const LearnedRule& rule) const;
    [[nodiscard]] double cost_at(const RuleList& rules, std::size_t first,
                                 std::size_t problem) const;
    /// The best rule to stand in front of `rules[at]`; its cost is the limit if none is better.
    [[nodiscard]] Change best_rule(const RuleList& rules, std::size_t at, double limit) const;
    [[nodiscard]] std::vector<Subset> subsets_of(const Place& place) const;
    /// True if the rule, once it stands there, and all behind it answer enough problems.
    [[nodiscard]] bool leaves_enough(const Place& place, const LearnedRule& rule) const;
    void look_at(const Subset& subset, std::size_t configuration, const Place& place,
                 Change& best) const;
    [[nodiscard]] bool grow(RuleList& rules) const;
    /// Replaces each rule by the best one at its place, or by none. True if that has changed any.
    [[nodiscard]] bool refine(RuleList& rules) const;

    const LossTable& table_;
    const RuleQuestions& questions_;
    const std::vector<std::size_t> problems_;
    const std::size_t fewest_;             ///< problems that a rule must answer
    std::vector<double> costs_;            ///< by configuration, then by problem of the table
    std::vector<double> standard_;         ///< of the parameters' defaults, by problem of the table
    std::vector<std::size_t> candidates_;  ///< the configurations of which something is known
};

}  // namespace jitune::internal
