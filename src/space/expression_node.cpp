// SPDX-License-Identifier: Apache-2.0
#include "space/expression_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "jitune/error.hpp"

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

// Each operator: whether the result is an exact integer, and what it is on reals otherwise.

struct Add {
    static bool exact(std::int64_t a, std::int64_t b, std::int64_t* result) {
        return !__builtin_add_overflow(a, b, result);
    }
    static double real(double a, double b) { return a + b; }
};

struct Subtract {
    static bool exact(std::int64_t a, std::int64_t b, std::int64_t* result) {
        return !__builtin_sub_overflow(a, b, result);
    }
    static double real(double a, double b) { return a - b; }
};

struct Multiply {
    static bool exact(std::int64_t a, std::int64_t b, std::int64_t* result) {
        return !__builtin_mul_overflow(a, b, result);
    }
    static double real(double a, double b) { return a * b; }
};

struct Divide {
    static bool exact(std::int64_t a, std::int64_t b, std::int64_t* result) {
        if (b == 0 || (a == kSmallest && b == -1)) {
            return false;
        }
        *result = a / b;
        return true;
    }
    static double real(double a, double b) {
        return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b;
    }
};

template <class Operator>
Datum arithmetic(Datum a, Datum b) {
    if (a.is_integer() && b.is_integer()) [[likely]] {
        std::int64_t result = 0;
        if (Operator::exact(a.integer, b.integer, &result)) {
            return Datum(result);
        }
    }
    if (a.is_null() || b.is_null()) {
        return {};
    }
    if (a.is_text() || b.is_text()) {
        return arithmetic<Operator>(number(a), number(b));
    }
    return Datum(Operator::real(as_real(a), as_real(b)));
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

using Node = ExpressionNode;

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

constexpr std::size_t kMaxDepth = 200;
constexpr std::size_t kMaxSize = 10'000;

bool is_identifier(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    return !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
           std::all_of(text.begin(), text.end(), allowed);
}

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

Datum truth(bool value) {
    return Datum(static_cast<std::int64_t>(value));
}

Datum add(Datum a, Datum b) {
    return arithmetic<Add>(a, b);
}

Datum subtract(Datum a, Datum b) {
    return arithmetic<Subtract>(a, b);
}

Datum multiply(Datum a, Datum b) {
    return arithmetic<Multiply>(a, b);
}

Datum divide(Datum a, Datum b) {
    return arithmetic<Divide>(a, b);
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

Datum absolute(Datum a) {
    if (a.is_null() || compare(a, Datum(kSmallest)) == 0) {
        return {};
    }
    if (a.is_integer()) {
        return a.integer < 0 ? Datum(-a.integer) : a;
    }
    return Datum(std::abs(as_real(a.is_text() ? Datum(0.0) : a)));
}

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
        if (!is_identifier(*text)) {
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

}  // namespace jitune::internal
