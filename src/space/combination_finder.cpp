// SPDX-License-Identifier: Apache-2.0
#include "space/combination_finder.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

/// A loop over the values of one parameter.
struct JoinLoop {
    std::size_t parameter = 0;
    std::vector<Expression> constraints;  ///< that this parameter is the last to complete
    std::optional<Expression> wanted;     ///< the only value, if an equation gives it
};

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

using Indexes = std::set<std::size_t>;

/// A constraint with the parameters that it names. Selectivities are logarithms: they add up where
/// the shares of combinations multiply.
struct Condition {
    const Expression* expression = nullptr;
    Indexes parameters;
    double log_selectivity = 0;
};

/// Orders the parameters of one group. Greedy: the next loops are those that complete the condition
/// of the best rank. The best of all orders would take a time that grows with their factorial.
class JoinOrder {
public:
    JoinOrder(std::span<const Parameter> parameters, std::vector<const Condition*> waiting)
        : parameters_(parameters), waiting_(std::move(waiting)) {}

    std::vector<std::size_t> take() {
        while (!waiting_.empty()) {
            const auto next = std::min_element(
                waiting_.begin(), waiting_.end(),
                [&](const Condition* a, const Condition* b) { return rank(*a) < rank(*b); });
            append(missing(**next));
            // The new loops may have completed other conditions, too.
            std::erase_if(waiting_, [&](const Condition* one) { return missing(*one).empty(); });
        }
        return std::move(order_);
    }

private:
    /// The condition's parameters that are in no loop yet.
    [[nodiscard]] Indexes missing(const Condition& condition) const {
        Indexes rest;
        std::set_difference(condition.parameters.begin(), condition.parameters.end(),
                            bound_.begin(), bound_.end(), std::inserter(rest, rest.end()));
        return rest;
    }

    /// By how much each parameter that the condition adds multiplies the number of combinations,
    /// with all conditions that are complete then. The text decides between equals.
    [[nodiscard]] std::tuple<double, std::string> rank(const Condition& condition) const {
        const Indexes added = missing(condition);
        double growth = 0;
        for (const std::size_t index : added) {
            growth += std::log(static_cast<double>(parameters_[index].values.size()));
        }
        for (const Condition* other : waiting_) {
            const Indexes rest = missing(*other);
            if (std::includes(added.begin(), added.end(), rest.begin(), rest.end())) {
                growth += other->log_selectivity;
            }
        }
        return {growth / static_cast<double>(added.size()), condition.expression->text()};
    }

    void append(const Indexes& added) {
        std::vector<std::size_t> indexes(added.begin(), added.end());
        std::sort(indexes.begin(), indexes.end(), [&](std::size_t a, std::size_t b) {
            return std::tuple(parameters_[a].values.size(), parameters_[a].name) <
                   std::tuple(parameters_[b].values.size(), parameters_[b].name);
        });
        order_.insert(order_.end(), indexes.begin(), indexes.end());
        bound_.insert(added.begin(), added.end());
    }

    std::span<const Parameter> parameters_;
    std::vector<const Condition*> waiting_;
    std::vector<std::size_t> order_;
    Indexes bound_;
};

std::vector<Condition> conditions_of(std::span<const Parameter> parameters,
                                     std::span<const Expression> constraints,
                                     std::span<const double> selectivities) {
    std::vector<Condition> conditions;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        const std::set<std::string> names = constraints[i].names();
        Condition condition{&constraints[i], {}, std::log(selectivities[i])};
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            if (names.contains(parameters[p].name)) {
                condition.parameters.insert(p);
            }
        }
        if (!condition.parameters.empty()) {
            conditions.push_back(std::move(condition));
        }
    }
    return conditions;
}

/// For each parameter the lowest one that constraints tie it to.
std::vector<std::size_t> roots_of(std::size_t count, const std::vector<Condition>& conditions) {
    std::vector<std::size_t> roots(count);
    std::iota(roots.begin(), roots.end(), std::size_t{0});
    for (const Condition& condition : conditions) {
        Indexes joined;
        for (const std::size_t index : condition.parameters) {
            joined.insert(roots[index]);
        }
        // The condition joins whole groups, not its own parameters alone.
        for (std::size_t& root : roots) {
            root = joined.contains(root) ? *joined.begin() : root;
        }
    }
    return roots;
}

JoinGroup group_of(std::span<const Parameter> parameters, const std::vector<std::size_t>& order,
                   const std::vector<const Condition*>& conditions) {
    JoinGroup group;
    for (const std::size_t parameter : order) {
        group.push_back({parameter, {}, {}});
    }
    for (const Condition* condition : conditions) {
        const auto last = std::find_if(group.rbegin(), group.rend(), [&](const JoinLoop& loop) {
            return condition->parameters.contains(loop.parameter);
        });
        auto solution = condition->expression->solved_for(parameters[last->parameter].name);
        if (solution && !last->wanted) {
            last->wanted = std::move(solution);
        } else {
            last->constraints.push_back(*condition->expression);
        }
    }
    return group;
}

/// Cuts the parameters into groups that no constraint connects, so that the space is the product of
/// the groups, and orders each group for nested loops: next come the parameters that complete the
/// constraint which leaves the fewest combinations, the shortest list first. `selectivities[i]` is
/// the share of combinations that satisfies `constraints[i]`. The order in which constraints and
/// parameters are written does not matter. Constraints that name no parameter are in no group.
std::vector<JoinGroup> group_loops(std::span<const Parameter> parameters,
                                   std::span<const Expression> constraints,
                                   std::span<const double> selectivities) {
    const std::vector<Condition> conditions = conditions_of(parameters, constraints, selectivities);
    const std::vector<std::size_t> roots = roots_of(parameters.size(), conditions);
    std::vector<JoinGroup> groups;
    for (const std::size_t root : Indexes(roots.begin(), roots.end())) {
        std::vector<const Condition*> members;
        for (const Condition& condition : conditions) {
            if (roots[*condition.parameters.begin()] == root) {
                members.push_back(&condition);
            }
        }
        const std::vector<std::size_t> order =
            members.empty() ? std::vector{root} : JoinOrder(parameters, members).take();
        groups.push_back(group_of(parameters, order, members));
    }
    return groups;
}

}  // namespace

CombinationFinder::CombinationFinder(std::span<const Parameter> parameters,
                                     std::span<const std::int64_t> strides, std::int64_t most_steps)
    : parameters_(parameters),
      strides_(strides),
      steps_left_(most_steps),
      positions_(parameters.size()) {}

/// Nothing if a constant part of a constraint does not hold. Parts have loops of their own, because
/// one may be complete in an earlier loop than the whole.
std::optional<std::vector<JoinGroup>> CombinationFinder::groups_of(
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
    return group_loops(parameters_, terms, shares(terms));
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
    const auto groups = groups_of(constraints);
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
    const auto groups = groups_of(constraints);
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
