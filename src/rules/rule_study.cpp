// SPDX-License-Identifier: Apache-2.0
#include "rules/rule_study.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>

namespace jitune::internal {
namespace {

constexpr std::size_t kFewSizes = 4;  // fewer are few

using Problems = std::vector<std::size_t>;

template <class Takes>
Problems those(const LossTable& table, const Takes& takes) {
    Problems result;
    for (std::size_t i = 0; i < table.problems.size(); ++i) {
        if (takes(i)) {
            result.push_back(i);
        }
    }
    return result;
}

/// The problems by a text that they have in common.
std::map<std::string, Problems> groups_of(const LossTable& table,
                                          std::string LossTable::Problem::*text) {
    std::map<std::string, Problems> groups;
    for (std::size_t i = 0; i < table.problems.size(); ++i) {
        groups[table.problems[i].*text].push_back(i);
    }
    return groups;
}

std::vector<RuleStudy::Gap> gaps_of(const LossTable& table) {
    std::vector<RuleStudy::Gap> gaps;
    const std::size_t sizes = table.problems.empty() ? 0 : table.problems.front().sizes.size();
    for (std::size_t size = 0; size < sizes; ++size) {
        std::set<int> octaves;
        for (const LossTable::Problem& problem : table.problems) {
            octaves.insert(
                static_cast<int>(std::bit_width(static_cast<std::uint64_t>(problem.sizes[size]))) -
                1);
        }
        for (auto next = std::next(octaves.begin()); next != octaves.end(); ++next) {
            if (const int before = *std::prev(next); before + 1 < *next) {
                gaps.push_back({size, before + 1, *next});
            }
        }
    }
    return gaps;
}

class Study {
public:
    Study(const LossTable& table, const RuleQuestions& questions, std::size_t most)
        : table_(table), questions_(questions), most_(most) {}

    RuleStudy all() {
        const Problems everything = those(table_, [](std::size_t) { return true; });
        judge_proposal(everything);
        std::vector<LossCell> left_out(table_.problems.size());
        const auto by_types = groups_of(table_, &LossTable::Problem::types);
        if (by_types.size() > 1) {
            for (const auto& [types, problems] : by_types) {
                const std::vector<LossCell> answers = answers_without(problems);
                result_.left_out.push_back({types, "", summary_of(answers, problems)});
                for (const std::size_t problem : problems) {
                    left_out[problem] = answers[problem];
                }
            }
            result_.each_types_left_out = summary_of(left_out, everything);
        }
        const auto by_device = groups_of(table_, &LossTable::Problem::device_class);
        for (const auto& [device_class, problems] : by_device) {
            if (by_device.size() > 1) {
                result_.left_out.push_back(
                    {"", device_class, summary_of(answers_without(problems), problems)});
            }
        }
        for (const auto& [types, problems] : by_types) {
            std::set<Sizes> sizes;
            for (const std::size_t problem : problems) {
                sizes.insert(table_.problems[problem].sizes);
            }
            if (sizes.size() < kFewSizes) {
                result_.few_sizes.emplace_back(types, sizes.size());
            }
        }
        result_.gaps = gaps_of(table_);
        return std::move(result_);
    }

private:
    void judge_proposal(const Problems& everything) {
        result_.rules = RuleLearner(table_, questions_, everything).learn(most_);
        const std::vector<LossCell> answers = answers_of(result_.rules, table_, questions_);
        const auto summary_of_rule = [&](std::size_t rule) {
            return summary_of(answers, those(table_, [&](std::size_t problem) {
                                  return answering_rule(result_.rules, table_, questions_,
                                                        problem) == rule;
                              }));
        };
        for (std::size_t rule = 0; rule < result_.rules.size(); ++rule) {
            result_.of_rules.push_back(summary_of_rule(rule));
            if (3 * result_.of_rules.back().estimated > result_.of_rules.back().problems) {
                result_.guessed_rules.push_back(rule);
            }
        }
        result_.rest = summary_of_rule(LossTable::kNone);
        result_.proposal = summary_of(answers, everything);
        std::vector<LossCell> standard;
        std::vector<LossCell> present;
        for (const LossTable::Problem& problem : table_.problems) {
            standard.push_back(problem.standard);
            present.push_back(problem.present);
        }
        result_.standard = summary_of(standard, everything);
        result_.present = summary_of(present, everything);
    }

    /// What rules give that are learned from the other problems.
    [[nodiscard]] std::vector<LossCell> answers_without(const Problems& problems) const {
        const Problems others = those(table_, [&](std::size_t problem) {
            return !std::binary_search(problems.begin(), problems.end(), problem);
        });
        return answers_of(RuleLearner(table_, questions_, others).learn(most_), table_, questions_);
    }

    const LossTable& table_;
    const RuleQuestions& questions_;
    const std::size_t most_;
    RuleStudy result_;
};

}  // namespace

RuleStudy study_rules(const LossTable& table, const RuleQuestions& questions, std::size_t most) {
    return Study(table, questions, most).all();
}

}  // namespace jitune::internal
