// SPDX-License-Identifier: Apache-2.0
#include "space/combination_finder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// A space of more than 1 GiB is a mistake in its constraints.
constexpr std::size_t kMaxCombinations = (std::size_t{1} << 30) / sizeof(std::int64_t);
constexpr int kSample = 1000;

/// Every sum of one number of each list.
std::vector<std::int64_t> sums_of(const std::vector<std::int64_t>& a,
                                  const std::vector<std::int64_t>& b) {
    std::vector<std::int64_t> sums;
    sums.reserve(a.size() * b.size());
    for (const std::int64_t first : a) {
        for (const std::int64_t second : b) {
            sums.push_back(first + second);
        }
    }
    return sums;
}

[[noreturn]] void refuse_size() {
    throw Error(ErrorKind::usage,
                fmt::format("search space: more than {} configurations satisfy the constraints: "
                            "add a constraint or list fewer values",
                            kMaxCombinations));
}

/// Radix sort of numbers that are not negative, 11 bits at a time.
void sort_numbers(std::vector<std::int64_t>& numbers) {
    if (std::is_sorted(numbers.begin(), numbers.end())) {
        return;
    }
    constexpr int kBits = 11;
    constexpr std::size_t kDigits = std::size_t{1} << kBits;
    const std::int64_t largest = *std::max_element(numbers.begin(), numbers.end());
    std::vector<std::int64_t> moved(numbers.size());
    for (int shift = 0; shift < 63 && largest >> shift != 0; shift += kBits) {
        const auto digit = [shift](std::int64_t number) {
            return static_cast<std::size_t>(number >> shift) % kDigits;
        };
        std::vector<std::size_t> begins(kDigits + 1);
        for (const std::int64_t number : numbers) {
            ++begins[digit(number) + 1];
        }
        std::partial_sum(begins.begin(), begins.end(), begins.begin());
        for (const std::int64_t number : numbers) {
            moved[begins[digit(number)]++] = number;
        }
        numbers.swap(moved);
    }
}

[[noreturn]] void refuse_time() {
    throw Error(ErrorKind::usage,
                "search space: too many combinations to try for one constraint or a few that "
                "belong together: add constraints on fewer parameters, or list fewer values");
}

/// The value that equals `wanted`, as a list of values has it; nothing if no list can have it.
std::optional<Value> as_listed(const Scalar& wanted) {
    if (const auto* integer = std::get_if<std::int64_t>(&wanted)) {
        return *integer;
    }
    if (const auto* text = std::get_if<std::string>(&wanted)) {
        return *text;
    }
    constexpr double kTooLarge = 9223372036854775808.0;  // 2^63
    const auto* real = std::get_if<double>(&wanted);
    const bool is_integer =
        real != nullptr && *real >= -kTooLarge && *real < kTooLarge && std::trunc(*real) == *real;
    return is_integer ? std::optional<Value>(static_cast<std::int64_t>(*real)) : std::nullopt;
}

}  // namespace

CombinationFinder::CombinationFinder(std::span<const Parameter> parameters,
                                     std::span<const std::int64_t> strides, std::int64_t most_steps)
    : parameters_(parameters),
      strides_(strides),
      steps_left_(most_steps),
      positions_(parameters.size()) {}

/// Returns nothing if a constant part of a constraint does not hold. The parts of a constraint are
/// planned one by one, because one may be complete in an earlier loop than the whole.
std::optional<std::vector<JoinGroup>> CombinationFinder::plan(
    std::span<const Expression> constraints) const {
    std::vector<Expression> terms;
    for (const Expression& constraint : constraints) {
        for (const Expression& part : constraint.conjuncts()) {
            const auto value = part.constant_value();
            if (value && !is_true(*value)) {
                return std::nullopt;
            }
            terms.push_back(part.for_positions(parameters_));
        }
    }
    return plan_joins(parameters_, terms, shares(terms));
}

/// The share of random combinations that satisfies each term, never quite 0. The generator is
/// fixed: equal parameters give equal plans.
std::vector<double> CombinationFinder::shares(std::span<const Expression> terms) const {
    std::mt19937_64 random;
    std::vector<std::int64_t> sample(parameters_.size());
    std::vector<double> shares(terms.size(), 0.5 / (kSample + 1));
    for (int row = 0; row < kSample; ++row) {
        for (std::size_t i = 0; i < sample.size(); ++i) {
            sample[i] = static_cast<std::int64_t>(random() % parameters_[i].values.size());
        }
        for (std::size_t i = 0; i < terms.size(); ++i) {
            shares[i] += terms[i].holds(sample) ? 1.0 / (kSample + 1) : 0;
        }
    }
    return shares;
}

std::vector<std::int64_t> CombinationFinder::combinations(std::span<const Expression> constraints) {
    std::vector<std::int64_t> all;
    const auto groups = plan(constraints);
    if (!groups) {
        return all;
    }
    std::vector<std::vector<std::int64_t>> factors;
    std::size_t count = 1;
    for (const JoinGroup& group : *groups) {
        factors.push_back(numbers(group));
        if (factors.back().empty()) {
            return all;
        }
        if (factors.back().size() > kMaxCombinations / count) {
            refuse_size();
        }
        count *= factors.back().size();
    }
    // No constraint connects the groups: every combination of one with every one of another.
    all.push_back(0);
    for (const std::vector<std::int64_t>& factor : factors) {
        all = sums_of(all, factor);
    }
    sort_numbers(all);
    return all;
}

bool CombinationFinder::satisfiable(std::span<const Expression> constraints) {
    const auto has_any = [&](const JoinGroup& group) {
        return !visit(group, 0, [](std::int64_t /*number*/) { return false; });
    };
    const auto groups = plan(constraints);
    return groups && std::all_of(groups->begin(), groups->end(), has_any);
}

std::vector<std::int64_t> CombinationFinder::numbers(const JoinGroup& group) {
    std::vector<std::int64_t> numbers;
    visit(group, 0, [&](std::int64_t number) {
        if (numbers.size() == kMaxCombinations) {
            refuse_size();
        }
        numbers.push_back(number);
        return true;
    });
    return numbers;
}

/// Calls `found` with `number` plus the sum of each combination of the loops, until it returns
/// false. Returns false then.
template <class Found>
bool CombinationFinder::visit(std::span<const JoinLoop> loops, std::int64_t number,
                              const Found& found) {
    const JoinLoop& loop = loops.front();
    const auto inner = loops.subspan(1);
    const auto [begin, end] = range(loop);
    for (std::size_t i = begin; i < end; ++i) {
        const auto position = static_cast<std::int64_t>(i);
        positions_[loop.parameter] = position;
        if (!holds(loop)) {
            continue;
        }
        const std::int64_t sum = number + position * strides_[loop.parameter];
        if (!(inner.empty() ? found(sum) : visit(inner, sum, found))) {
            return false;
        }
    }
    return true;
}

/// The positions to try, from the first to before the second.
std::pair<std::size_t, std::size_t> CombinationFinder::range(const JoinLoop& loop) {
    const std::vector<Value>& values = parameters_[loop.parameter].values;
    if (!loop.wanted) {
        return {0, values.size()};
    }
    spend(loop.wanted->size());
    const auto value = as_listed(loop.wanted->evaluate(positions_));
    const auto found = value ? std::find(values.begin(), values.end(), *value) : values.end();
    const auto begin = static_cast<std::size_t>(found - values.begin());
    return {begin, std::min(begin + 1, values.size())};
}

bool CombinationFinder::holds(const JoinLoop& loop) {
    spend(1);
    for (const Expression& constraint : loop.constraints) {
        spend(constraint.size());
        if (!constraint.holds(positions_)) {
            return false;
        }
    }
    return true;
}

void CombinationFinder::spend(std::size_t steps) {
    steps_left_ -= static_cast<std::int64_t>(steps);
    if (steps_left_ < 0) {
        refuse_time();
    }
}

}  // namespace jitune::internal
