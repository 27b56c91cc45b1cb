// SPDX-License-Identifier: Apache-2.0
#include "rules/rule_condition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace jitune::internal {
namespace {

constexpr double kSame = 1e-9;  // relative; quantities are whole numbers

bool is_proportional(std::span<const double> one, std::span<const double> other) {
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (std::abs(one[i] * other[0] - one[0] * other[i]) > kSame * one[i] * other[0]) {
            return false;
        }
    }
    return true;
}

template <class Values>
bool is_constant(const Values& values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

}  // namespace

void RuleQuestions::add(Quantity quantity) {
    const bool is_known = std::any_of(
        quantities.begin(), quantities.end(),
        [&](const Quantity& other) { return is_proportional(quantity.values, other.values); });
    if (!is_known && !is_constant(quantity.values)) {
        quantities.push_back(std::move(quantity));
    }
}

void RuleQuestions::add(Fact fact) {
    const bool is_known = std::any_of(facts.begin(), facts.end(),
                                      [&](const Fact& other) { return fact.holds == other.holds; });
    if (!is_known && !is_constant(fact.holds)) {
        facts.push_back(std::move(fact));
    }
}

bool RuleCondition::holds(const RuleQuestions& questions, std::size_t problem) const {
    if (fact && !questions.facts[*fact].holds[problem]) {
        return false;
    }
    return !threshold ||
           threshold->is_above == (questions.quantities[threshold->quantity].values[problem] >
                                   static_cast<double>(threshold->value));
}

std::string RuleCondition::text(const RuleQuestions& questions) const {
    std::string result;
    if (threshold) {
        result = fmt::format("{} {} {}", questions.quantities[threshold->quantity].text,
                             threshold->is_above ? ">" : "<=", threshold->value);
    }
    if (fact) {
        result += (result.empty() ? "" : " AND ") + questions.facts[*fact].text;
    }
    return result;
}

std::optional<std::int64_t> round_threshold(double low, double high) {
    constexpr int kLargest = 61;  // 1.5 * 2^61 is still an integer of 64 bits
    if (!(low >= 1) || !(low < high)) {
        return std::nullopt;
    }
    const double middle = std::log2(low) / 2 + std::log2(high) / 2;
    for (const std::int64_t mantissa : {2, 3}) {
        std::optional<std::int64_t> nearest;
        double least = 0;
        for (int power = 0; power <= kLargest; ++power) {
            const std::int64_t number = (mantissa << power) / 2;
            const auto real = static_cast<double>(number);
            const double away = std::abs(std::log2(real) - middle);
            const bool is_whole = mantissa == 2 || power > 0;
            if (is_whole && real >= low && real < high && (!nearest || away < least)) {
                nearest = number;
                least = away;
            }
        }
        if (nearest) {
            return nearest;
        }
    }
    return std::nullopt;
}

}  // namespace jitune::internal
