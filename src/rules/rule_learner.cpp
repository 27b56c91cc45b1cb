// SPDX-License-Identifier: Apache-2.0
#include "rules/rule_learner.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>

namespace jitune::internal {
namespace {

// In the unit of the mean cost: 0.004 are about 0.4 % of all times.
constexpr double kRulePrice = 0.004;
constexpr double kTermPrice = 0.001;
constexpr double kValuePrice = 0.0002;
constexpr double kLeastGain = 1e-9;
constexpr std::size_t kFewest = 4;  // problems that a rule must answer, if there are as many
// A rule must answer so large a part of the problems for which its condition holds: people read the
// condition, not the constraints that pass the rule over.
constexpr double kLeastShare = 0.8;

constexpr double kExcluded = -1;
constexpr double kUnknown = 1e6;  // finite, so that a sum with it can get better

double cost_of_loss(double loss) {
    const double log = std::log(loss);
    return log + log * log;
}

double cost_of_cell(const LossCell& cell) {
    switch (cell.state) {
        case LossCell::State::excluded:
            return kExcluded;
        case LossCell::State::unknown:
            return kUnknown;
        default:
            return cost_of_loss(cell.loss);
    }
}

}  // namespace

std::size_t answering_rule(const RuleList& rules, const LossTable& table,
                           const RuleQuestions& questions, std::size_t problem) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (rules[i].condition.holds(questions, problem) &&
            table.at(rules[i].configuration, problem).state != LossCell::State::excluded) {
            return i;
        }
    }
    return LossTable::kNone;
}

std::vector<LossCell> answers_of(const RuleList& rules, const LossTable& table,
                                 const RuleQuestions& questions) {
    std::vector<LossCell> answers;
    for (std::size_t problem = 0; problem < table.problems.size(); ++problem) {
        const std::size_t rule = answering_rule(rules, table, questions, problem);
        answers.push_back(rule == LossTable::kNone ? table.problems[problem].standard
                                                   : table.at(rules[rule].configuration, problem));
    }
    return answers;
}

/// A place between the rules of a list.
struct RuleLearner::Place {
    std::vector<std::size_t> reached;  ///< the problems that no rule in front of it answers
    RuleList behind;                   ///< the rules behind it
    std::vector<double> rest;          ///< by problem of the table: what these cost
    double cost = 0;                   ///< of the list without a rule there
};

/// Problems that a fact lets through, with the thresholds that part them.
struct RuleLearner::Subset {
    std::optional<std::size_t> fact;
    std::optional<std::size_t> quantity;  ///< nothing: no thresholds
    std::vector<std::size_t> problems;    ///< in the order of the quantity
    /// thresholds[i] parts the first i problems from the others, if there is such a round number.
    std::vector<std::optional<std::int64_t>> thresholds;
};

RuleLearner::RuleLearner(const LossTable& table, const RuleQuestions& questions,
                         std::span<const std::size_t> problems)
    : table_(table),
      questions_(questions),
      problems_(problems.begin(), problems.end()),
      fewest_(std::min(kFewest, problems_.size())) {
    for (const LossCell& cell : table.cells) {
        costs_.push_back(cost_of_cell(cell));
    }
    double sum = 0;
    std::size_t known = 0;
    for (const std::size_t problem : problems_) {
        if (const LossCell& cell = table.problems[problem].standard; cell.is_known()) {
            sum += cost_of_loss(cell.loss);
            ++known;
        }
    }
    // Where the time of the defaults is not known, they are taken to be as good as elsewhere.
    const double usual = known > 0 ? sum / static_cast<double>(known) : cost_of_loss(2);
    for (const LossTable::Problem& problem : table.problems) {
        standard_.push_back(problem.standard.is_known() ? cost_of_loss(problem.standard.loss)
                                                        : usual);
    }
    for (std::size_t one = 0; one < table.configurations.size(); ++one) {
        const auto known_at =
            std::count_if(problems_.begin(), problems_.end(),
                          [&](std::size_t problem) { return table.at(one, problem).is_known(); });
        if (static_cast<std::size_t>(known_at) >= fewest_) {
            candidates_.push_back(one);
        }
    }
}

double RuleLearner::price_of(const LearnedRule& rule) const {
    return kRulePrice + kTermPrice * static_cast<double>(rule.condition.terms()) +
           kValuePrice * static_cast<double>(table_.differing[rule.configuration]);
}

double RuleLearner::cost_at(const RuleList& rules, std::size_t first, std::size_t problem) const {
    for (std::size_t i = first; i < rules.size(); ++i) {
        const double cost = costs_[rules[i].configuration * table_.problems.size() + problem];
        if (cost != kExcluded && rules[i].condition.holds(questions_, problem)) {
            return cost;
        }
    }
    return standard_[problem];
}

double RuleLearner::cost_of(const RuleList& rules) const {
    double sum = 0;
    for (const std::size_t problem : problems_) {
        sum += cost_at(rules, 0, problem);
    }
    double prices = 0;
    for (const LearnedRule& rule : rules) {
        prices += price_of(rule);
    }
    return sum / static_cast<double>(problems_.size()) + prices;
}

std::vector<RuleLearner::Subset> RuleLearner::subsets_of(const Place& place) const {
    std::vector<Subset> subsets;
    for (std::size_t fact = 0; fact <= questions_.facts.size(); ++fact) {
        Subset all;
        all.problems = place.reached;
        if (fact > 0) {  // first, whatever the facts
            all.fact = fact - 1;
            std::erase_if(all.problems, [&](std::size_t problem) {
                return !questions_.facts[fact - 1].holds[problem];
            });
        }
        if (all.problems.empty()) {
            continue;
        }
        all.thresholds.resize(all.problems.size() + 1);
        subsets.push_back(all);
        for (std::size_t quantity = 0; quantity < questions_.quantities.size(); ++quantity) {
            Subset parted = all;
            parted.quantity = quantity;
            const std::vector<double>& values = questions_.quantities[quantity].values;
            std::stable_sort(parted.problems.begin(), parted.problems.end(),
                             [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
            for (std::size_t i = 1; i < parted.problems.size(); ++i) {
                parted.thresholds[i] =
                    round_threshold(values[parted.problems[i - 1]], values[parted.problems[i]]);
            }
            subsets.push_back(std::move(parted));
        }
    }
    return subsets;
}

bool RuleLearner::leaves_enough(const Place& place, const LearnedRule& rule) const {
    RuleList rules{rule};
    rules.insert(rules.end(), place.behind.begin(), place.behind.end());
    std::vector<std::size_t> answered(rules.size());
    for (const std::size_t problem : place.reached) {
        if (const std::size_t at = answering_rule(rules, table_, questions_, problem);
            at != LossTable::kNone) {
            ++answered[at];
        }
    }
    return std::all_of(answered.begin(), answered.end(),
                       [&](std::size_t count) { return count >= fewest_; });
}

void RuleLearner::look_at(const Subset& subset, std::size_t configuration, const Place& place,
                          Change& best) const {
    const double* const costs = &costs_[configuration * table_.problems.size()];
    const auto count = static_cast<double>(problems_.size());
    const std::size_t all = subset.problems.size();
    // Adds up problems one by one, as far as the configuration is known there, and considers the
    // rule for those so far, where a threshold or the end stands behind them.
    const auto walk = [&](const auto& problems, bool is_above) {
        double change = 0;
        std::size_t answered = 0;
        std::size_t held = 0;
        for (const std::size_t problem : problems) {
            if (costs[problem] == kUnknown) {
                return;
            }
            ++held;
            if (costs[problem] != kExcluded) {
                change += costs[problem] - place.rest[problem];
                ++answered;
            }
            const auto threshold = subset.thresholds[is_above ? all - held : held];
            if ((!threshold && held < all) || answered < fewest_ ||
                static_cast<double>(answered) < kLeastShare * static_cast<double>(held) ||
                place.cost + change / count >= best.cost) {
                continue;
            }
            LearnedRule rule{{.fact = subset.fact}, configuration};
            if (held < all) {
                rule.condition.threshold = {*subset.quantity, is_above, *threshold};
            }
            if (const double cost = place.cost + change / count + price_of(rule);
                cost < best.cost && leaves_enough(place, rule)) {
                best = {cost, rule};
            }
        }
    };
    walk(subset.problems, false);
    if (subset.quantity) {
        walk(std::views::reverse(subset.problems), true);
    }
}

RuleLearner::Change RuleLearner::best_rule(const RuleList& rules, std::size_t at,
                                           double limit) const {
    Place place;
    place.cost = cost_of(rules);
    place.rest.assign(table_.problems.size(), 0);
    const auto here = rules.begin() + static_cast<std::ptrdiff_t>(at);
    const RuleList before(rules.begin(), here);
    place.behind.assign(here, rules.end());
    for (const std::size_t problem : problems_) {
        if (answering_rule(before, table_, questions_, problem) == LossTable::kNone) {
            place.reached.push_back(problem);
            place.rest[problem] = cost_at(rules, at, problem);
        }
    }
    // Those first that could bring most, if a condition held just where they are better.
    std::vector<std::pair<double, std::size_t>> order;
    for (const std::size_t one : candidates_) {
        double change = 0;
        for (const std::size_t problem : place.reached) {
            const double cost = costs_[one * table_.problems.size() + problem];
            change += cost == kExcluded ? 0 : std::min(0.0, cost - place.rest[problem]);
        }
        order.emplace_back(place.cost + change / static_cast<double>(problems_.size()), one);
    }
    std::sort(order.begin(), order.end());
    const std::vector<Subset> subsets = subsets_of(place);
    Change best{limit};
    for (const auto& [least, one] : order) {
        if (least + kRulePrice >= best.cost) {
            break;
        }
        for (const Subset& subset : subsets) {
            look_at(subset, one, place, best);
        }
    }
    return best;
}

bool RuleLearner::grow(RuleList& rules) const {
    Change best{cost_of(rules) - kLeastGain};
    std::optional<std::size_t> place;
    for (std::size_t at = 0; at <= rules.size(); ++at) {
        if (const Change found = best_rule(rules, at, best.cost); found.cost < best.cost) {
            best = found;
            place = at;
        }
    }
    if (place) {
        rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(*place), best.rule);
    }
    return place.has_value();
}

bool RuleLearner::refine(RuleList& rules) const {
    bool is_better = false;
    for (std::size_t at = 0; at < rules.size();) {
        RuleList others = rules;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(at));
        const double cost = cost_of(rules) - kLeastGain;
        const double without = cost_of(others);
        const Change found = best_rule(others, at, std::min(cost, without));
        if (without < cost && without <= found.cost) {
            rules = std::move(others);
            is_better = true;
            continue;
        }
        if (found.cost < cost) {
            rules[at] = found.rule;
            is_better = true;
        }
        ++at;
    }
    return is_better;
}

RuleList RuleLearner::learn(std::size_t most) const {
    constexpr int kRounds = 4;
    RuleList rules;
    if (problems_.empty()) {
        return rules;
    }
    for (int round = 0; round < kRounds; ++round) {
        bool has_changed = false;
        while (rules.size() < most && grow(rules)) {
            has_changed = true;
        }
        has_changed = refine(rules) || has_changed;
        if (!has_changed) {
            break;
        }
    }
    return rules;
}

}  // namespace jitune::internal
