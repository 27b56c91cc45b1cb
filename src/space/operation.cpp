// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "space/expression_node.hpp"

namespace jitune::internal {

namespace {

using Node = ExpressionNode;

template <Datum (*function)(Datum, Datum)>
Datum binary(const Node& node, Slots slots) {
    const Datum a = node.operands[0]->evaluate(slots);
    return function(a, node.operands[1]->evaluate(slots));
}

template <bool (*test)(int order)>
Datum comparison(const Node& node, Slots slots) {
    const Datum a = node.operands[0]->evaluate(slots);
    const Datum b = node.operands[1]->evaluate(slots);
    return a.is_null() || b.is_null() ? Datum() : truth(test(compare(a, b)));
}

Datum negate(const Node& node, Slots slots) {
    return subtract(Datum(std::int64_t{0}), node.operands[0]->evaluate(slots));
}

Datum logical_not(const Node& node, Slots slots) {
    const Datum a = node.operands[0]->evaluate(slots);
    return a.is_null() ? a : truth(a.is_false());
}

/// AND with `deciding` false, OR with true: one deciding operand decides, else one NULL is NULL.
template <bool deciding>
Datum logical(const Node& node, Slots slots) {
    const auto decides = [](Datum value) { return deciding ? value.is_true() : value.is_false(); };
    const Datum a = node.operands[0]->evaluate(slots);
    if (decides(a)) {
        return truth(deciding);
    }
    const Datum b = node.operands[1]->evaluate(slots);
    if (decides(b)) {
        return truth(deciding);
    }
    return a.is_null() || b.is_null() ? Datum() : truth(!deciding);
}

template <bool deciding>
NodePointer logical_shortcut(const Operands& operands) {
    const bool decided = std::any_of(operands.begin(), operands.end(), [](const auto& operand) {
        return operand->is_literal() &&
               (deciding ? operand->datum.is_true() : operand->datum.is_false());
    });
    return decided ? make_literal(std::int64_t{deciding}) : nullptr;
}

Datum member(const Node& node, Slots slots) {
    const Datum wanted = node.operands[0]->evaluate(slots);
    if (wanted.is_null()) {
        return {};
    }
    bool null_seen = false;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
        const Datum value = node.operands[i]->evaluate(slots);
        if (value.is_null()) {
            null_seen = true;
        } else if (compare(wanted, value) == 0) {
            return truth(true);
        }
    }
    return null_seen ? Datum() : truth(false);
}

/// Of equal numbers min() keeps the last and max() the first, as SQLite does: 1 and 1.0 divide
/// differently.
template <bool (*better)(int order)>
Datum extreme(const Node& node, Slots slots) {
    Datum best = node.operands[0]->evaluate(slots);
    for (std::size_t i = 1; i < node.operands.size() && !best.is_null(); ++i) {
        const Datum value = node.operands[i]->evaluate(slots);
        if (value.is_null() || better(compare(value, best))) {
            best = value;
        }
    }
    return best;
}

Datum absolute_value(const Node& node, Slots slots) {
    return absolute(node.operands[0]->evaluate(slots));
}

Datum ceil_div(Datum a, Datum b) {
    return divide(subtract(add(a, b), Datum(std::int64_t{1})), b);
}

Datum choose(const Node& node, Slots slots) {
    const bool chosen = node.operands[0]->evaluate(slots).is_true();
    return node.operands[chosen ? 1 : 2]->evaluate(slots);
}

NodePointer choose_shortcut(const Operands& operands) {
    if (!operands[0]->is_literal()) {
        return nullptr;
    }
    return operands[operands[0]->datum.is_true() ? 1 : 2];
}

constexpr bool less(int order) {
    return order < 0;
}
constexpr bool less_or_equal(int order) {
    return order <= 0;
}
constexpr bool greater(int order) {
    return order > 0;
}
constexpr bool greater_or_equal(int order) {
    return order >= 0;
}
constexpr bool equal(int order) {
    return order == 0;
}
constexpr bool different(int order) {
    return order != 0;
}

constexpr std::array kOperators{
    Operation{"OR", logical<true>, logical_shortcut<true>},
    Operation{"AND", logical<false>, logical_shortcut<false>},
    Operation{"NOT", logical_not},
    Operation{"=", comparison<equal>},
    Operation{"!=", comparison<different>},
    Operation{"<", comparison<less>},
    Operation{"<=", comparison<less_or_equal>},
    Operation{">", comparison<greater>},
    Operation{">=", comparison<greater_or_equal>},
    Operation{"IN", member},
    Operation{"+", binary<add>},
    Operation{"-", binary<subtract>},
    Operation{"*", binary<multiply>},
    Operation{"/", binary<divide>},
    Operation{"%", binary<remainder>},
    Operation{"negate", negate},
};

constexpr std::size_t kMaxArguments = 100;

constexpr std::array kFunctions{
    Operation{"min", extreme<less_or_equal>, nullptr, 2, kMaxArguments},
    Operation{"max", extreme<greater>, nullptr, 2, kMaxArguments},
    Operation{"abs", absolute_value, nullptr, 1, 1},
    Operation{"ceil_div", binary<ceil_div>, nullptr, 2, 2},
    Operation{"iif", choose, choose_shortcut, 3, 3},
};

}  // namespace

const Operation& operator_named(std::string_view name) {
    return *std::find_if(kOperators.begin(), kOperators.end(),
                         [name](const Operation& row) { return row.name == name; });
}

std::span<const Operation> functions() {
    return kFunctions;
}

}  // namespace jitune::internal
