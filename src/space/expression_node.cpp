// SPDX-License-Identifier: Apache-2.0
#include "space/expression_node.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "jitune/error.hpp"
#include "space/expression_lexer.hpp"

namespace jitune::internal {
namespace {

constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr double kTwoTo63 = 9223372036854775808.0;

/// Text is always an identifier, of which SQL makes the integer 0.
Datum number(Datum value) {
    return value.is_text() ? Datum(std::int64_t{0}) : value;
}

double as_real(Datum value) {
    return value.is_integer() ? static_cast<double>(value.integer) : value.real;
}

std::int64_t as_integer(Datum value) {
    if (value.is_integer()) {
        return value.integer;
    }
    if (value.real >= kTwoTo63) {
        return std::numeric_limits<std::int64_t>::max();
    }
    return value.real <= -kTwoTo63 ? kSmallest : static_cast<std::int64_t>(value.real);
}

/// `exact` is the operator on integers: false where the result is none. `real` is the one on reals.
template <class Exact, class Real>
Datum arithmetic(Datum a, Datum b, const Exact& exact, const Real& real) {
    if (a.is_integer() && b.is_integer()) [[likely]] {
        std::int64_t result = 0;
        if (exact(a.integer, b.integer, &result)) {
            return Datum(result);
        }
    }
    if (a.is_null() || b.is_null()) {
        return {};
    }
    if (a.is_text() || b.is_text()) {
        return arithmetic(number(a), number(b), exact, real);
    }
    return Datum(real(as_real(a), as_real(b)));
}

Datum add(Datum a, Datum b) {
    const auto exact = [](std::int64_t x, std::int64_t y, std::int64_t* sum) {
        return !__builtin_add_overflow(x, y, sum);
    };
    return arithmetic(a, b, exact, std::plus<>());
}

Datum subtract(Datum a, Datum b) {
    const auto exact = [](std::int64_t x, std::int64_t y, std::int64_t* difference) {
        return !__builtin_sub_overflow(x, y, difference);
    };
    return arithmetic(a, b, exact, std::minus<>());
}

Datum multiply(Datum a, Datum b) {
    const auto exact = [](std::int64_t x, std::int64_t y, std::int64_t* product) {
        return !__builtin_mul_overflow(x, y, product);
    };
    return arithmetic(a, b, exact, std::multiplies<>());
}

Datum divide(Datum a, Datum b) {
    const auto exact = [](std::int64_t x, std::int64_t y, std::int64_t* quotient) {
        const bool is_exact = y != 0 && !(x == kSmallest && y == -1);
        *quotient = is_exact ? x / y : 0;
        return is_exact;
    };
    return arithmetic(a, b, exact, [](double x, double y) {
        return y == 0 ? std::numeric_limits<double>::quiet_NaN() : x / y;
    });
}

Datum remainder(Datum a, Datum b) {
    if (a.is_null() || b.is_null()) {
        return {};
    }
    a = number(a);
    b = number(b);
    const std::int64_t divisor = as_integer(b);
    if (divisor == 0) {
        return {};
    }
    // x % -1 is 0, and traps for the smallest x.
    const std::int64_t rest = divisor == -1 ? 0 : as_integer(a) % divisor;
    return a.is_integer() && b.is_integer() ? Datum(rest) : Datum(static_cast<double>(rest));
}

template <class Number>
int order(Number a, Number b) {
    return static_cast<int>(a > b) - static_cast<int>(a < b);
}

/// Exact: the integer is never rounded to a double first.
int compare_integer_to_real(std::int64_t a, double b) {
    if (b >= kTwoTo63) {
        return -1;
    }
    if (b < -kTwoTo63) {
        return 1;
    }
    const int whole = order(a, static_cast<std::int64_t>(b));
    return whole != 0 ? whole : order(0.0, b - std::trunc(b));
}

/// < 0, 0 or > 0; neither may be NULL. Numbers compare by exact value and come before text.
int compare(Datum a, Datum b) {
    if (a.is_integer() && b.is_integer()) [[likely]] {
        return order(a.integer, b.integer);
    }
    if (a.is_text() || b.is_text()) {
        return a.is_text() && b.is_text() ? a.text->compare(*b.text)
                                          : order(a.is_text(), b.is_text());
    }
    if (a.is_integer()) {
        return compare_integer_to_real(a.integer, b.real);
    }
    return b.is_integer() ? -compare_integer_to_real(b.integer, a.real) : order(a.real, b.real);
}

Datum truth(bool value) {
    return Datum(static_cast<std::int64_t>(value));
}

using Node = ExpressionNode;

/// NULL for -2^63, integer or real: the integer has no absolute value.
Datum absolute(const Node& node, Slots slots) {
    const Datum a = node.operands[0]->evaluate(slots);
    if (a.is_null() || compare(a, Datum(kSmallest)) == 0) {
        return {};
    }
    if (a.is_integer()) {
        return a.integer < 0 ? Datum(-a.integer) : a;
    }
    return Datum(std::abs(as_real(a.is_text() ? Datum(0.0) : a)));
}

template <Datum (*function)(Datum, Datum)>
Datum binary(const Node& node, Slots slots) {
    const Datum a = node.operands[0]->evaluate(slots);
    return function(a, node.operands[1]->evaluate(slots));
}

template <class Test>
Datum comparison(const Node& node, Slots slots) {
    const Datum a = node.operands[0]->evaluate(slots);
    const Datum b = node.operands[1]->evaluate(slots);
    return a.is_null() || b.is_null() ? Datum() : truth(Test()(compare(a, b), 0));
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
template <class Better>
Datum extreme(const Node& node, Slots slots) {
    Datum best = node.operands[0]->evaluate(slots);
    for (std::size_t i = 1; i < node.operands.size() && !best.is_null(); ++i) {
        const Datum value = node.operands[i]->evaluate(slots);
        if (value.is_null() || Better()(compare(value, best), 0)) {
            best = value;
        }
    }
    return best;
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

Datum literal_value(const Node& node, Slots /*slots*/) {
    return node.datum;
}

Datum slot_value(const Node& node, Slots slots) {
    if (node.slot >= slots.size()) {
        throw Error(ErrorKind::usage, "evaluate expression: \"" + node.text + "\" has no value");
    }
    return Datum(slots[node.slot]);
}

Datum chosen_value(const Node& node, Slots slots) {
    return node.operands[static_cast<std::size_t>(slots[node.slot])]->datum;
}

constexpr Operation kLiteral{"literal", literal_value};
constexpr Operation kName{"name", slot_value};
constexpr Operation kChoice{"choice", chosen_value};

constexpr std::array kOperators{
    Operation{"OR", logical<true>, logical_shortcut<true>},
    Operation{"AND", logical<false>, logical_shortcut<false>},
    Operation{"NOT", logical_not},
    Operation{"=", comparison<std::equal_to<>>},
    Operation{"!=", comparison<std::not_equal_to<>>},
    Operation{"<", comparison<std::less<>>},
    Operation{"<=", comparison<std::less_equal<>>},
    Operation{">", comparison<std::greater<>>},
    Operation{">=", comparison<std::greater_equal<>>},
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
    Operation{"min", extreme<std::less_equal<>>, nullptr, 2, kMaxArguments},
    Operation{"max", extreme<std::greater<>>, nullptr, 2, kMaxArguments},
    Operation{"abs", absolute, nullptr, 1, 1},
    Operation{"ceil_div", binary<ceil_div>, nullptr, 2, 2},
    Operation{"iif", choose, choose_shortcut, 3, 3},
};

constexpr std::size_t kMaxDepth = 200;
constexpr std::size_t kMaxSize = 10'000;

}  // namespace

Datum::Datum(double value) {
    if (!std::isnan(value)) {
        kind = Kind::real;
        real = value;
    }
}

bool Datum::is_true() const {
    return is_integer() ? integer != 0 : kind == Kind::real && real != 0;
}

Scalar to_scalar(Datum value) {
    switch (value.kind) {
        case Datum::Kind::integer:
            return value.integer;
        case Datum::Kind::real:
            return value.real;
        case Datum::Kind::text:
            return *value.text;
        case Datum::Kind::null:
            break;
    }
    return std::monostate{};
}

bool Node::is_literal() const {
    return operation == &kLiteral;
}

bool Node::is_name() const {
    return operation == &kName || operation == &kChoice;
}

NodePointer make_literal(const Scalar& value) {
    auto node = std::make_shared<Node>();
    node->operation = &kLiteral;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        node->datum = Datum(*integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
        node->datum = Datum(*real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        if (!is_text_content(*text)) {
            throw Error(ErrorKind::usage, "'" + *text +
                                              "' cannot be a value of an expression: text must be "
                                              "letters, digits and _, without a digit first");
        }
        node->text = *text;
        node->datum = Datum(&node->text);
    }
    return node;
}

NodePointer make_name(std::string_view name, std::size_t slot) {
    auto node = std::make_shared<Node>();
    node->operation = &kName;
    node->text = name;
    node->slot = slot;
    return node;
}

NodePointer make_choice(std::string_view name, std::size_t slot, Operands values) {
    auto node = std::make_shared<Node>();
    node->operation = &kChoice;
    node->operands = std::move(values);
    node->text = name;
    node->slot = slot;
    return node;
}

NodePointer make_operation(const Operation& operation, Operands operands) {
    auto node = std::make_shared<Node>();
    node->operation = &operation;
    for (const NodePointer& operand : operands) {
        node->depth = std::max(node->depth, operand->depth + 1);
        node->size += operand->size;
    }
    node->operands = std::move(operands);
    if (node->depth > kMaxDepth || node->size > kMaxSize) {
        throw Error(ErrorKind::usage,
                    "an expression may nest " + std::to_string(kMaxDepth) +
                        " levels deep and have " + std::to_string(kMaxSize) +
                        " operations and operands; one has more: split or simplify it");
    }
    return node;
}

const Operation& operator_named(std::string_view name) {
    return *std::find_if(kOperators.begin(), kOperators.end(),
                         [name](const Operation& row) { return row.name == name; });
}

std::span<const Operation> functions() {
    return kFunctions;
}

}  // namespace jitune::internal
