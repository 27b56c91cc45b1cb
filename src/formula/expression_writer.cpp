// SPDX-License-Identifier: Apache-2.0
#include "formula/expression_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "formula/hints.hpp"
#include "formula/vocabulary.hpp"

namespace jitune::internal {

namespace {

using enum ElementType;
using Kind = FormulaNode::Kind;

bool is_real_type(ElementType type) {
    return type == float32 || type == float64;
}

/// The type of an operation on two numbers, as in C++, but that weak numbers yield.
TypedText common(const TypedText& a, const TypedText& b) {
    TypedText result;
    const auto rank = [](ElementType type) {
        constexpr std::array kOrder{int32, uint32, int64, uint64, float32, float64};
        return std::find(kOrder.begin(), kOrder.end(), type) - kOrder.begin();
    };
    result.is_weak = a.is_weak && b.is_weak;
    if (a.is_weak != b.is_weak) {
        const TypedText& weak = a.is_weak ? a : b;
        const TypedText& other = a.is_weak ? b : a;
        const bool raises = is_real_type(weak.type) && !is_real_type(other.type);
        result.type = raises ? float64 : other.type;
        return result;
    }
    result.type = rank(a.type) >= rank(b.type) ? a.type : b.type;
    return result;
}

/// The type of a real function of these arguments.
TypedText real_type(const std::vector<TypedText>& arguments) {
    TypedText result = arguments.front();
    for (const TypedText& one : arguments) {
        result = common(result, one);
    }
    if (!is_real_type(result.type)) {
        result.type = float64;
    }
    result.is_truth = false;
    return result;
}

/// A small whole exponent, for which x ** e is a product.
std::optional<int> small_exponent(const FormulaNode& node) {
    constexpr int kMost = 8;
    int value = 0;
    const auto [end, error] =
        std::from_chars(node.text.data(), node.text.data() + node.text.size(), value);
    const bool is_whole = node.kind == Kind::number && error == std::errc() &&
                          end == node.text.data() + node.text.size();
    return is_whole && value >= 1 && value <= kMost ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string_view kernel_type(ElementType type) {
    switch (type) {
        case int8:
            return "signed char";
        case uint8:
            return "unsigned char";
        case int16:
            return "short";
        case uint16:
            return "unsigned short";
        case int32:
            return "int";
        case uint32:
            return "unsigned";
        case int64:
            return "long long";
        case uint64:
            return "unsigned long long";
        case float16:
            return "float16";
        case bfloat16:
            return "bfloat16";
        case float32:
            return "float";
        case float64:
            break;
    }
    return "double";
}

ElementType computing_type(ElementType type) {
    switch (type) {
        case int8:
        case uint8:
        case int16:
        case uint16:
            return int32;
        case float16:
        case bfloat16:
            return float32;
        default:
            return type;
    }
}

bool is_real(const TypedText& one) {
    return is_real_type(one.type);
}

std::string as_type(const TypedText& one, ElementType type) {
    if (one.is_truth) {
        return as_type({fmt::format("({} ? 1 : 0)", one.text), ElementType::int32}, type);
    }
    if (one.type == type && !one.is_weak) {
        return one.text;
    }
    return fmt::format("formula_cast<{}>({})", kernel_type(type), one.text);
}

std::string as_truth(const TypedText& one) {
    return one.is_truth ? one.text : fmt::format("({} != 0)", one.text);
}

std::string as_stored(const TypedText& one, ElementType type) {
    std::string computed = as_type(one, computing_type(type));
    if (computing_type(type) == type) {
        return computed;
    }
    if (computing_type(type) == int32 && is_real(one)) {  // the nearest one, as formula_cast gives
        const bool is_signed = type == int8 || type == int16;
        const int values = 1 << (8 * bytes_of(type));
        const int low = is_signed ? -values / 2 : 0;
        computed =
            fmt::format("formula_min(formula_max({}, {}), {})", computed, low, low + values - 1);
    }
    return fmt::format("static_cast<{}>({})", kernel_type(type), computed);
}

TypedText loaded(const std::string& text, ElementType type) {
    const ElementType computing = computing_type(type);
    return {computing == type ? text : fmt::format("convert<{}>({})", kernel_type(computing), text),
            computing};
}

TypedText ExpressionWriter::write(const FormulaNode& node) const {
    switch (node.kind) {
        case Kind::number:
            return number(node);
        case Kind::name:
            if (node.text == "true" || node.text == "false") {
                return {node.text, int32, false, true};
            }
            return name_(node);
        case Kind::first:
            return name_(node);
        case Kind::unary:
            return unary(node);
        case Kind::binary:
            return node.text == "**" ? power(node) : binary(node);
        case Kind::choice:
            return choice(node, 0);
        case Kind::call:
            break;
    }
    return call(node);
}

TypedText ExpressionWriter::number(const FormulaNode& node) const {
    const std::string& text = node.text;
    const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const bool has_fraction = !is_hexadecimal && text.find_first_of(".eE") != std::string::npos;
    const char* const end = text.data() + text.size();
    if (!has_fraction) {
        std::uint64_t value = 0;
        const auto [stop, error] = std::from_chars(text.data() + (is_hexadecimal ? 2 : 0), end,
                                                   value, is_hexadecimal ? 16 : 10);
        if (error == std::errc() && stop == end && value <= INT64_MAX) {
            // Beyond int32 a number does not yield, as in C++.
            return {fmt::format("{}LL", value), int64, value <= INT32_MAX};
        }
    } else {
        double value = 0;
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const bool is_single = stop + 1 == end && (*stop == 'f' || *stop == 'F');
        if (error == std::errc() && (stop == end || is_single) && std::isfinite(value)) {
            const std::string exact = fmt::format("{:a}", value);
            return is_single ? TypedText{fmt::format("static_cast<float>({})", exact), float32}
                             : TypedText{exact, float64, true};
        }
    }
    refuse(node, fmt::format("\"{}\" is no number: write 3, 0x1f, 0.5, 1e-3 or 2.5f", text));
}

TypedText ExpressionWriter::unary(const FormulaNode& node) const {
    TypedText one = write(node.parts.front());
    if (node.text == "!") {
        return {fmt::format("!{}", as_truth(one)), int32, false, true};
    }
    if (node.text == "~" && one.is_truth) {
        refuse(node, "~ of a condition is never 0: write not (…)");
    }
    const bool was_weak = one.is_weak;
    const std::string text = was_weak ? one.text : as_type(one, one.type);
    one.is_truth = false;
    if (node.text == "-") {
        one.text = is_real(one)
                       ? fmt::format("(-{})", text)
                       : fmt::format("formula_subtract<{}>(0, {})", kernel_type(one.type), text);
    } else if (node.text == "~") {
        if (is_real(one)) {
            refuse(node, "~ takes an integer");
        }
        one.text = fmt::format("(~{})", text);
    } else {
        one.text = text;
    }
    return one;
}

TypedText ExpressionWriter::binary(const FormulaNode& node) const {
    const TypedText a = write(node.parts.front());
    const TypedText b = write(node.parts.back());
    const std::string& sign = node.text;
    if (sign == "&&" || sign == "||") {
        return {fmt::format("({} {} {})", as_truth(a), sign, as_truth(b)), int32, false, true};
    }
    const bool is_bitwise = sign == "&" || sign == "|" || sign == "^";
    if (is_bitwise && a.is_truth && b.is_truth) {
        return {fmt::format("(({} {} {}) != 0)", a.text, sign, b.text), int32, false, true};
    }
    TypedText result = common(a, b);
    const bool is_shift = sign == "<<" || sign == ">>";
    if ((is_bitwise || is_shift || sign == "%") && is_real(result)) {
        refuse(node, sign == "%"   ? "% takes integers: write fmod(a, b) for floats"
                     : sign == "^" ? "^ takes integers: the power of x is x ** 2"
                                   : fmt::format("{} takes integers", sign));
    }
    if (sign == "/" && a.is_weak && !is_real(result)) {
        refuse(node,
               "a number is divided by an integer, which cuts the fraction off: write it with "
               "a point, as in 1.0 / n");
    }
    if (is_shift && !a.is_weak) {
        result.type = a.type;
    }
    // Weak operands are converted, too: their text may be of the other kind.
    const std::string left = as_type(a, result.type);
    const std::string right = as_type(b, result.type);
    constexpr std::array<std::string_view, 6> kComparisons{"==", "!=", "<", "<=", ">", ">="};
    if (std::find(kComparisons.begin(), kComparisons.end(), sign) != kComparisons.end()) {
        return {fmt::format("({} {} {})", left, sign, right), int32, false, true};
    }
    if (is_real(result) || is_bitwise) {
        result.text = fmt::format("({} {} {})", left, sign, right);
        return result;
    }
    const std::string_view name = sign == "+"    ? "add"
                                  : sign == "-"  ? "subtract"
                                  : sign == "*"  ? "multiply"
                                  : sign == "/"  ? "divide"
                                  : sign == "%"  ? "remainder"
                                  : sign == "<<" ? "shift_left"
                                                 : "shift_right";
    result.text = fmt::format("formula_{}({}, {})", name, left, right);
    return result;
}

TypedText ExpressionWriter::power(const FormulaNode& node) const {
    TypedText base = write(node.parts.front());
    if (const auto exponent = small_exponent(node.parts.back())) {
        base.text = fmt::format("formula_power<{}>({})", *exponent, as_type(base, base.type));
        base.is_truth = false;
        return base;
    }
    const TypedText exponent = write(node.parts.back());
    TypedText result = real_type({base, exponent});
    result.text = fmt::format("formula_pow({}, {})", as_type(base, result.type),
                              as_type(exponent, result.type));
    return result;
}

TypedText ExpressionWriter::choice(const FormulaNode& node, std::size_t at) const {
    const TypedText condition = write(node.parts[at]);
    const TypedText a = write(node.parts[at + 1]);
    const TypedText b = write(node.parts[at + 2]);
    TypedText result = common(a, b);
    result.text = fmt::format("({} ? {} : {})", as_truth(condition), as_type(a, result.type),
                              as_type(b, result.type));
    return result;
}

TypedText ExpressionWriter::call(const FormulaNode& node) const {
    if (const auto type = formula_cast_type(node.text)) {
        if (node.parts.size() != 1) {
            refuse(node, fmt::format("{}(x) converts one value", node.text));
        }
        return {as_type(write(node.parts.front()), *type), *type};
    }
    const FormulaFunction* const function = formula_function(node.text);
    if (function == nullptr) {
        const std::string hint = formula_hint(node.text);
        refuse(node,
               fmt::format("\"{}\" is no function that formulas know{}", node.text,
                           hint.empty() ? "; they know " + formula_function_names() : ": " + hint));
    }
    if (node.parts.size() < function->least || node.parts.size() > function->most) {
        refuse(node, fmt::format("{} takes {} arguments, not {}", node.text,
                                 function->least == function->most
                                     ? fmt::format("{}", function->least)
                                     : fmt::format("{} to {}", function->least, function->most),
                                 node.parts.size()));
    }
    if (function->kind == FormulaFunction::Kind::select) {
        return choice(node, 0);
    }
    std::vector<TypedText> arguments;
    for (const FormulaNode& part : node.parts) {
        arguments.push_back(write(part));
    }
    TypedText result = arguments.front();
    for (const TypedText& one : arguments) {
        result = common(result, one);
    }
    if (function->kind == FormulaFunction::Kind::real) {
        result = real_type(arguments);
        if (node.text != function->name) {  // expf
            result.type = float32;
        }
        result.is_weak = false;
    }
    std::string text = as_type(arguments.front(), result.type);
    if (function->kind == FormulaFunction::Kind::predicate) {
        return {is_real(result) ? fmt::format("formula_{}({})", function->name, text)
                                : std::string(function->name == "isfinite" ? "true" : "false"),
                int32, false, true};
    }
    if (function->most > function->least) {  // min, max: two and two
        for (std::size_t i = 1; i < arguments.size(); ++i) {
            text = fmt::format("formula_{}({}, {})", function->name, text,
                               as_type(arguments[i], result.type));
        }
        result.text = text;
        return result;
    }
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        text += ", " + as_type(arguments[i], result.type);
    }
    result.text = fmt::format("formula_{}({})", function->name, text);
    result.is_truth = false;
    return result;
}

void ExpressionWriter::refuse(const FormulaNode& node, const std::string& flaw) const {
    refuse_formula(formula_, node.at, flaw);
}

}  // namespace jitune::internal
