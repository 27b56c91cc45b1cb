// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "rules/loss_table.hpp"
#include "rules/rule_condition.hpp"
#include "rules/rule_learner.hpp"

namespace jitune::internal {

/// Rules that are learned from a table, and how good they are: at the problems that they are
/// learned from, and at problems that are left out of the learning.
struct RuleStudy {
    RuleList rules;
    std::vector<LossSummary> of_rules;  ///< at the problems that each answers
    LossSummary rest;                   ///< at the problems that no rule answers

    // At all problems.
    LossSummary standard;  ///< the parameters' own defaults
    LossSummary present;   ///< the template's tables [[default]]
    LossSummary proposal;  ///< the rules

    /// What was left out of the learning, and the losses there.
    struct LeftOut {
        std::string types;         ///< or
        std::string device_class;  ///< this is empty
        LossSummary losses;        ///< of the rules that are learned from the others
    };
    std::vector<LeftOut> left_out;
    LossSummary each_types_left_out;  ///< the losses of all problems, each from its types' turn

    // Where too little is measured.
    /// Types with few sizes, and their number.
    std::vector<std::pair<std::string, std::size_t>> few_sizes;
    /// Octaves of a size between the least and the largest that no problem has: from 2^first up to
    /// 2^last.
    struct Gap {
        std::size_t size;  ///< its place
        int first;
        int last;
    };
    std::vector<Gap> gaps;
    /// Rules whose losses are estimated at more than a third of the problems that they answer.
    std::vector<std::size_t> guessed_rules;
};

/// At most `most` rules. Learns once for each combination of types, and once for each device class
/// if there are several, beside the proposal.
RuleStudy study_rules(const LossTable& table, const RuleQuestions& questions, std::size_t most);

}  // namespace jitune::internal
