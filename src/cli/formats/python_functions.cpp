// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/formats/python_lexer.hpp"

namespace jitune::internal {

namespace {

using PythonList = PythonValue::List;
using PythonInteger = std::int64_t;

constexpr std::size_t kLongestList = 100'000;

/// A truth value counts as 0 or 1.
const PythonInteger* integer_of(const PythonValue& value, PythonInteger& room) {
    if (const bool* const truth = value.truth()) {
        room = *truth ? 1 : 0;
        return &room;
    }
    return value.integer();
}

double real_of(const PythonValue& value) {
    PythonInteger room = 0;
    if (const PythonInteger* const integer = integer_of(value, room)) {
        return static_cast<double>(*integer);
    }
    if (value.real() == nullptr) {
        throw PythonFault("expected a number here");
    }
    return *value.real();
}

PythonInteger whole_of(const PythonValue& value) {
    PythonInteger room = 0;
    const PythonInteger* const integer = integer_of(value, room);
    if (integer == nullptr) {
        throw PythonFault("expected an integer here");
    }
    return *integer;
}

PythonValue rounded(double value) {
    constexpr double kLargestReal = 9e18;
    if (!(std::abs(value) < kLargestReal)) {
        throw PythonFault("the result has more than 63 bits");
    }
    return {static_cast<PythonInteger>(value)};
}

PythonInteger checked(bool overflowed, PythonInteger result) {
    if (overflowed) {
        throw PythonFault("the result has more than 63 bits");
    }
    return result;
}

PythonInteger product_of(PythonInteger a, PythonInteger b) {
    PythonInteger result = 0;
    const bool overflowed = __builtin_mul_overflow(a, b, &result);
    return checked(overflowed, result);
}

PythonInteger power_of(PythonInteger base, PythonInteger exponent) {
    PythonInteger result = 1;
    for (PythonInteger i = 0; i < exponent && (base < -1 || base > 1); ++i) {
        result = product_of(result, base);
    }
    if (base >= -1 && base <= 1 && exponent > 0) {
        result = base == -1 && exponent % 2 == 0 ? 1 : base;
    }
    return result;
}

PythonInteger power_of_two(PythonInteger b) {
    constexpr PythonInteger kMostBits = 62;
    if (b < 0 || b > kMostBits) {
        throw PythonFault("a shift must be by 0 to 62 bits");
    }
    return PythonInteger{1} << b;
}

void refuse_zero(bool is_zero) {
    if (is_zero) {
        throw PythonFault("division by 0");
    }
}

PythonValue of_integers(std::string_view symbol, PythonInteger a, PythonInteger b) {
    PythonInteger result = 0;
    if (symbol == "+") {
        const bool overflowed = __builtin_add_overflow(a, b, &result);
        return {checked(overflowed, result)};
    }
    if (symbol == "-") {
        const bool overflowed = __builtin_sub_overflow(a, b, &result);
        return {checked(overflowed, result)};
    }
    if (symbol == "*") {
        return {product_of(a, b)};
    }
    if (symbol == "/" || symbol == "//" || symbol == "%") {
        refuse_zero(b == 0);
        checked(b == -1 && a == INT64_MIN, 0);
        return symbol == "/"    ? PythonValue{static_cast<double>(a) / static_cast<double>(b)}
               : symbol == "//" ? PythonValue{floor_quotient(a, b)}
                                : PythonValue{floor_remainder(a, b)};
    }
    if (symbol == "**") {
        return b >= 0 ? PythonValue{power_of(a, b)}
                      : PythonValue{std::pow(static_cast<double>(a), static_cast<double>(b))};
    }
    if (symbol == "<<") {
        return {product_of(a, power_of_two(b))};
    }
    if (symbol == ">>") {
        return {floor_quotient(a, power_of_two(b))};
    }
    return {symbol == "&" ? a & b : symbol == "|" ? a | b : a ^ b};
}

PythonValue of_reals(std::string_view symbol, double a, double b) {
    if (symbol == "/" || symbol == "//" || symbol == "%") {
        refuse_zero(b == 0);
        double rest = std::fmod(a, b);
        rest += rest != 0 && (rest < 0) != (b < 0) ? b : 0;
        return {symbol == "/" ? a / b : symbol == "//" ? std::round((a - rest) / b) : rest};
    }
    if (symbol == "+" || symbol == "-" || symbol == "*" || symbol == "**") {
        return {symbol == "+"   ? a + b
                : symbol == "-" ? a - b
                : symbol == "*" ? a * b
                                : std::pow(a, b)};
    }
    throw PythonFault(fmt::format("\"{}\" takes integers", symbol));
}

PythonValue range_of(const PythonList& arguments) {
    const PythonInteger first = arguments.size() == 1 ? 0 : whole_of(arguments[0]);
    const PythonInteger last = whole_of(arguments[arguments.size() == 1 ? 0 : 1]);
    const PythonInteger step = arguments.size() == 3 ? whole_of(arguments[2]) : 1;
    if (step == 0) {
        throw PythonFault("the step of a range must not be 0");
    }
    PythonList result;
    for (PythonInteger at = first; step > 0 ? at < last : at > last;) {
        if (result.size() == kLongestList) {
            throw PythonFault(fmt::format("a range of more than {} numbers", kLongestList));
        }
        result.push_back({at});
        if (__builtin_add_overflow(at, step, &at)) {
            break;
        }
    }
    return {std::move(result)};
}

/// What the one list holds, else the arguments themselves.
const PythonList& elements_of(const PythonList& arguments) {
    return arguments.size() == 1 && arguments[0].list() != nullptr ? *arguments[0].list()
                                                                   : arguments;
}

template <PythonOrder better>
PythonValue extreme_of(const PythonList& arguments) {
    const PythonList& elements = elements_of(arguments);
    if (elements.empty()) {
        throw PythonFault("an empty list has no smallest or largest element");
    }
    const PythonValue* best = &elements.front();
    for (const PythonValue& one : elements) {
        const PythonOrder order = python_order(one, *best);
        if (order == PythonOrder::none) {
            throw PythonFault("these values have no order");
        }
        best = order == better ? &one : best;
    }
    return *best;
}

PythonValue sum_of(const PythonList& arguments) {
    PythonValue sum{PythonInteger{0}};
    for (const PythonValue& one : elements_of(arguments)) {
        sum = compute_python("+", sum, one);
    }
    return sum;
}

PythonValue length_of(const PythonList& arguments) {
    if (const std::string* const text = arguments[0].text()) {
        return {static_cast<PythonInteger>(text->size())};
    }
    if (arguments[0].list() == nullptr) {
        throw PythonFault("only lists and texts have a length");
    }
    return {static_cast<PythonInteger>(arguments[0].list()->size())};
}

PythonValue sorted_of(const PythonList& arguments) {
    PythonList list = elements_of(arguments);
    for (const PythonValue& one : list) {
        if (python_order(one, list.front()) == PythonOrder::none) {
            throw PythonFault("these values have no order");
        }
    }
    std::stable_sort(list.begin(), list.end(), [](const PythonValue& a, const PythonValue& b) {
        return python_order(a, b) == PythonOrder::less;
    });
    return {std::move(list)};
}

PythonValue copy_of(const PythonList& arguments) {
    if (arguments[0].list() == nullptr) {
        throw PythonFault("expected a list here");
    }
    return arguments[0];
}

PythonValue absolute_of(const PythonList& arguments) {
    const bool negative = python_order(arguments[0], {PythonInteger{0}}) == PythonOrder::less;
    return compute_python(negative ? "-" : "+", {PythonInteger{0}}, arguments[0]);
}

PythonValue power_call(const PythonList& arguments) {
    return compute_python("**", arguments[0], arguments[1]);
}

/// Integers stay as they are.
template <double (*function)(double)>
PythonValue rounding(const PythonList& arguments) {
    PythonInteger room = 0;
    const PythonInteger* const integer = integer_of(arguments[0], room);
    return integer != nullptr ? PythonValue{*integer} : rounded(function(real_of(arguments[0])));
}

PythonValue real_call(const PythonList& arguments) {
    return {real_of(arguments[0])};
}

PythonValue truth_call(const PythonList& arguments) {
    return {is_python_true(arguments[0])};
}

struct PythonFunction {
    std::string_view name;
    PythonValue (*call)(const PythonList& arguments);
    std::size_t fewest = 1, most = 1;
};

constexpr std::array kPythonFunctions{
    PythonFunction{"range", range_of, 1, 3},
    PythonFunction{"list", copy_of},
    PythonFunction{"tuple", copy_of},
    PythonFunction{"len", length_of},
    PythonFunction{"min", extreme_of<PythonOrder::less>, 1, kLongestList},
    PythonFunction{"max", extreme_of<PythonOrder::greater>, 1, kLongestList},
    PythonFunction{"sum", sum_of},
    PythonFunction{"sorted", sorted_of},
    PythonFunction{"abs", absolute_of},
    PythonFunction{"pow", power_call, 2, 2},
    PythonFunction{"int", rounding<std::trunc>},
    PythonFunction{"float", real_call},
    PythonFunction{"bool", truth_call},
    PythonFunction{"ceil", rounding<std::ceil>},
    PythonFunction{"floor", rounding<std::floor>},
};

}  // namespace

PythonInteger floor_quotient(PythonInteger a, PythonInteger b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

PythonInteger floor_remainder(PythonInteger a, PythonInteger b) {
    const PythonInteger rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

PythonOrder python_order(const PythonValue& a, const PythonValue& b) {
    const auto order = [](const auto& x, const auto& y) {
        return x < y ? PythonOrder::less : y < x ? PythonOrder::greater : PythonOrder::equal;
    };
    if (a.text() != nullptr && b.text() != nullptr) {
        return order(*a.text(), *b.text());
    }
    if (a.text() != nullptr || b.text() != nullptr || a.list() != nullptr || b.list() != nullptr) {
        return PythonOrder::none;
    }
    PythonInteger room_a = 0;
    PythonInteger room_b = 0;
    const PythonInteger* const whole_a = integer_of(a, room_a);
    const PythonInteger* const whole_b = integer_of(b, room_b);
    return whole_a != nullptr && whole_b != nullptr ? order(*whole_a, *whole_b)
                                                    : order(real_of(a), real_of(b));
}

bool is_python_true(const PythonValue& value) {
    if (value.text() != nullptr) {
        return !value.text()->empty();
    }
    return value.list() != nullptr ? !value.list()->empty() : real_of(value) != 0;
}

PythonValue compute_python(std::string_view symbol, const PythonValue& a, const PythonValue& b) {
    if (symbol == "+" && a.list() != nullptr && b.list() != nullptr) {
        if (a.list()->size() + b.list()->size() > kLongestList) {
            throw PythonFault(fmt::format("a list of more than {} elements", kLongestList));
        }
        PythonList joined = *a.list();
        joined.insert(joined.end(), b.list()->begin(), b.list()->end());
        return {std::move(joined)};
    }
    PythonInteger room_a = 0;
    PythonInteger room_b = 0;
    const PythonInteger* const whole_a = integer_of(a, room_a);
    const PythonInteger* const whole_b = integer_of(b, room_b);
    return whole_a != nullptr && whole_b != nullptr ? of_integers(symbol, *whole_a, *whole_b)
                                                    : of_reals(symbol, real_of(a), real_of(b));
}

PythonValue call_python(std::string_view name, PythonList& arguments) {
    const std::string_view plain = plain_function(name);
    const auto* const row =
        std::find_if(kPythonFunctions.begin(), kPythonFunctions.end(),
                     [&](const PythonFunction& one) { return one.name == plain; });
    if (row == kPythonFunctions.end()) {
        const auto names = kPythonFunctions | std::views::transform(&PythonFunction::name);
        throw PythonFault(
            fmt::format("unknown function {}; the functions are {}", name, fmt::join(names, ", ")));
    }
    if (arguments.size() < row->fewest || arguments.size() > row->most) {
        throw PythonFault(fmt::format("{} does not take {} arguments", name, arguments.size()));
    }
    return row->call(arguments);
}

std::string_view plain_function(std::string_view name) {
    for (const std::string_view module : {"math.", "np.", "numpy."}) {
        if (name.starts_with(module)) {
            return name.substr(module.size());
        }
    }
    return name;
}

void refuse_unknown_name(std::string_view text, const PythonNode& node, const PythonNames& names) {
    refuse_python(text, node.begin,
                  names.empty() ? fmt::format("\"{}\" is not known here", node.text)
                                : fmt::format("\"{}\" is not known here; known names are {}",
                                              node.text, fmt::join(std::views::keys(names), ", ")));
}

}  // namespace jitune::internal
