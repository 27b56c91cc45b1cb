// SPDX-License-Identifier: Apache-2.0
#include "space/join_plan.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

namespace jitune::internal {

namespace {

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

}  // namespace

std::vector<JoinGroup> plan_joins(std::span<const Parameter> parameters,
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

}  // namespace jitune::internal
