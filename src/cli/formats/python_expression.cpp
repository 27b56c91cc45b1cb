// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_expression.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/formats/python_evaluator.hpp"
#include "cli/formats/python_functions.hpp"
#include "cli/formats/python_lexer.hpp"
#include "cli/formats/python_piece.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using NodeKind = PythonNode::Kind;
using PieceLevel = PythonPiece::Level;
using PieceType = PythonPiece::Type;

/// A number as a fraction, which is NULL where the denominator is 0.
struct PythonFraction {
    PythonPiece numerator;
    std::optional<PythonPiece> denominator;
};

constexpr std::size_t kLongestText = 20'000;  // operands that are repeated multiply the text
constexpr std::int64_t kLargestExponent = 16;

class PythonTranslator {
public:
    PythonTranslator(std::string_view text, const PythonScope& scope)
        : text_(text), scope_(scope) {}

    PythonPiece piece(const PythonNode& node) const {
        PythonPiece result = is_constant(node)
                                 ? literal(node, evaluate_python(node, text_, scope_.constants))
                                 : translated(node);
        if (result.text.size() > kLongestText) {
            refuse(node, "the translated expression is too long: simplify it");
        }
        return result;
    }

private:
    [[noreturn]] void refuse(const PythonNode& node, const std::string& message) const {
        refuse_python(text_, node.begin, message);
    }

    [[nodiscard]] bool is_constant(const PythonNode& node) const {
        const std::set<std::string> names = names_of(node);
        return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
            return scope_.constants.contains(name);
        });
    }

    [[nodiscard]] PythonPiece literal(const PythonNode& node, const PythonValue& value) const {
        try {
            return literal_piece(value);
        } catch (const PythonFault& fault) {
            refuse(node, fault.what());
        }
    }

    PythonPiece translated(const PythonNode& node) const {
        switch (node.kind) {
            case NodeKind::name:
                return variable(node);
            case NodeKind::negate:
                return negated(number(node.operands[0]));
            case NodeKind::inversion:
                return {"NOT " + condition(node.operands[0]).within(PieceLevel::comparison),
                        PieceLevel::inversion, PieceType::truth, false};
            case NodeKind::disjunction:
                return logical(node, " OR ", PieceLevel::disjunction);
            case NodeKind::conjunction:
                return logical(node, " AND ", PieceLevel::conjunction);
            case NodeKind::comparison:
                return comparison(node);
            case NodeKind::conditional:
                return conditional(node);
            case NodeKind::call:
                return call(node);
            case NodeKind::binary:
                return binary(node);
            default:
                refuse(node, "a list is not expected here");
        }
    }

    PythonPiece variable(const PythonNode& node) const {
        const auto found = scope_.variables.find(node.text);
        if (found == scope_.variables.end()) {
            PythonNames known = scope_.constants;
            for (const auto& [name, variable] : scope_.variables) {
                known.try_emplace(name);
            }
            refuse_unknown_name(text_, node, known);
        }
        return {node.text, PieceLevel::primary,
                found->second.is_text ? PieceType::text : PieceType::integer,
                found->second.can_be_negative};
    }

    /// A value for arithmetic.
    PythonPiece number(const PythonNode& node) const {
        PythonPiece result = piece(node);
        refuse_loose(node, result);
        if (result.type == PieceType::text) {
            refuse(node, "expected a number here, not a text");
        }
        return result;
    }

    void refuse_loose(const PythonNode& node, const PythonPiece& piece) const {
        if (piece.type == PieceType::loose) {
            refuse(node,
                   "\"and\" and \"or\" of numbers have one of the numbers as value: compare "
                   "them first");
        }
    }

    /// A value of which only the truth counts.
    PythonPiece condition(const PythonNode& node) const {
        PythonPiece result = piece(node);
        if (result.type == PieceType::text) {
            refuse(node, "expected a condition here, not a text");
        }
        return result;
    }

    PythonPiece logical(const PythonNode& node, std::string_view word, PieceLevel level) const {
        std::vector<std::string> texts;
        bool exact = true;
        for (const PythonNode& operand : node.operands) {
            const PythonPiece one = condition(operand);
            exact = exact && one.type == PieceType::truth;
            texts.push_back(one.within(level));
        }
        return {fmt::format("{}", fmt::join(texts, word)), level,
                exact ? PieceType::truth : PieceType::loose, false};
    }

    PythonPiece comparison(const PythonNode& node) const {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < node.operators.size(); ++i) {
            const PythonNode& right = node.operands[i + 1];
            const PythonPiece left = piece(node.operands[i]);
            refuse_loose(node.operands[i], left);
            texts.push_back(node.operators[i].ends_with("in")
                                ? membership(left, node.operators[i] == "in", right)
                                : compared(left, node.operators[i], right));
        }
        return texts.size() == 1
                   ? PythonPiece{texts.front(), PieceLevel::comparison, PieceType::truth, false}
                   : PythonPiece{fmt::format("{}", fmt::join(texts, " AND ")),
                                 PieceLevel::conjunction, PieceType::truth, false};
    }

    std::string compared(const PythonPiece& left, const std::string& symbol,
                         const PythonNode& right_node) const {
        const PythonPiece right = piece(right_node);
        refuse_loose(right_node, right);
        const bool is_equality = symbol == "==" || symbol == "!=";
        if (!is_equality && (left.type == PieceType::text) != (right.type == PieceType::text)) {
            refuse(right_node, "a text and a number have no order");
        }
        const std::string spelling = symbol == "==" ? "=" : symbol == "!=" ? "<>" : symbol;
        return fmt::format("{} {} {}", left.within(PieceLevel::sum), spelling,
                           right.within(PieceLevel::sum));
    }

    std::string membership(const PythonPiece& left, bool wanted, const PythonNode& right) const {
        std::vector<std::string> texts;
        if (is_constant(right)) {
            const PythonValue value = evaluate_python(right, text_, scope_.constants);
            if (value.list() == nullptr) {
                refuse(right, "expected a list after \"in\"");
            }
            for (const PythonValue& one : *value.list()) {
                texts.push_back(literal(right, one).text);
            }
        } else if (right.kind == NodeKind::list) {
            for (const PythonNode& operand : right.operands) {
                const PythonPiece one = piece(operand);
                refuse_loose(operand, one);
                texts.push_back(one.text);
            }
        } else {
            refuse(right, "expected a list after \"in\"");
        }
        if (texts.empty()) {  // jitune has no empty lists
            return wanted ? "1 = 0" : "1 = 1";
        }
        return fmt::format("{} {} ({})", left.within(PieceLevel::sum), wanted ? "IN" : "NOT IN",
                           fmt::join(texts, ", "));
    }

    PythonPiece conditional(const PythonNode& node) const {
        const PythonPiece value = piece(node.operands[0]);
        const PythonPiece otherwise = piece(node.operands[2]);
        return {fmt::format("iif({}, {}, {})", condition(node.operands[1]).text, value.text,
                            otherwise.text),
                PieceLevel::primary,
                value.type == otherwise.type ? value.type : wider_type(value, otherwise),
                value.can_be_negative || otherwise.can_be_negative};
    }

    PythonPiece binary(const PythonNode& node) const {
        const std::string& symbol = node.text;
        if (symbol == "%" || symbol == "//") {
            return division(node);
        }
        if (symbol == "**") {
            return power(node, node.operands[0], node.operands[1]);
        }
        if (symbol == "&" || symbol == "|") {
            return bits(node);
        }
        if (symbol == "<<" || symbol == ">>") {
            return shift(node);
        }
        const PythonPiece a = number(node.operands[0]);
        const PythonPiece b = number(node.operands[1]);
        if (symbol == "/") {
            return real_quotient(a, b);
        }
        if (symbol != "+" && symbol != "-" && symbol != "*") {
            refuse(node, "bit operations are not supported");
        }
        PythonPiece result = operation_piece(
            a, symbol, b, symbol == "*" ? PieceLevel::product : PieceLevel::sum, wider_type(a, b));
        result.can_be_negative = result.can_be_negative || symbol == "-";
        return result;
    }

    [[nodiscard]] PythonFraction fraction(const PythonNode& node) const {
        PythonFraction result;
        if (node.kind == NodeKind::binary && node.text == "/") {
            result = {number(node.operands[0]), number(node.operands[1])};
        } else {
            result.numerator = number(node);
        }
        if (result.numerator.type == PieceType::real ||
            (result.denominator && result.denominator->type == PieceType::real)) {
            refuse(node,
                   "%, //, int, ceil and floor take integers and quotients of integers, not reals");
        }
        return result;
    }

    PythonPiece division(const PythonNode& node) const {
        const PythonFraction a = fraction(node.operands[0]);
        const PythonFraction b = fraction(node.operands[1]);
        const PythonPiece scaled_a = times(a.numerator, b.denominator);
        const PythonPiece scaled_b = times(b.numerator, a.denominator);
        if (node.text == "//") {
            return floor_quotient(scaled_a, scaled_b);
        }
        const PythonPiece rest = floor_remainder(scaled_a, scaled_b);
        if (!a.denominator && !b.denominator) {
            return rest;
        }
        return real_quotient(rest,
                             a.denominator ? times(*a.denominator, b.denominator) : *b.denominator);
    }

    PythonPiece power(const PythonNode& node, const PythonNode& base_node,
                      const PythonNode& exponent_node) const {
        const PythonPiece base = number(base_node);
        const std::optional<PythonValue> value =
            is_constant(exponent_node)
                ? std::optional(evaluate_python(exponent_node, text_, scope_.constants))
                : std::nullopt;
        const std::int64_t* const exponent = value ? value->integer() : nullptr;
        if (exponent == nullptr || *exponent < 0 || *exponent > kLargestExponent) {
            refuse(node, fmt::format("a power must have an exponent from 0 to {}, without names: "
                                     "list the powers as values of a parameter",
                                     kLargestExponent));
        }
        PythonPiece result =
            *exponent == 0 ? PythonPiece{"1", PieceLevel::primary, base.type, false} : base;
        for (std::int64_t i = 1; i < *exponent; ++i) {
            result = operation_piece(result, "*", base, PieceLevel::product, base.type);
        }
        return result;
    }

    /// Of truth values, "&" is "and" and "|" is "or".
    PythonPiece bits(const PythonNode& node) const {
        const bool is_and = node.text == "&";
        const PieceLevel level = is_and ? PieceLevel::conjunction : PieceLevel::disjunction;
        const PythonPiece a = piece(node.operands[0]);
        const PythonPiece b = piece(node.operands[1]);
        if (a.type != PieceType::truth || b.type != PieceType::truth) {
            refuse(node, "bit operations are not supported");
        }
        return operation_piece(a, is_and ? "AND" : "OR", b, level, PieceType::truth);
    }

    PythonPiece shift(const PythonNode& node) const {
        const PythonPiece a = number(node.operands[0]);
        if (!is_constant(node.operands[1])) {
            refuse(node,
                   "a shift must be by a number, without names: list the values of a "
                   "parameter");
        }
        const PythonValue one{std::int64_t{1}};
        const PythonValue by = evaluate_python(node.operands[1], text_, scope_.constants);
        const PythonPiece factor = [&] {
            try {
                return literal(node, compute_python("<<", one, by));
            } catch (const PythonFault& fault) {
                refuse(node, fault.what());
            }
        }();
        return node.text == "<<" ? operation_piece(a, "*", factor, PieceLevel::product)
                                 : floor_quotient(a, factor);
    }

    PythonPiece call(const PythonNode& node) const {
        const std::string_view name = plain_function(node.text);
        const std::vector<PythonNode>& given = node.operands;
        if ((name == "min" || name == "max") && given.size() >= 2) {
            return extreme(node, name);
        }
        if (name == "pow" && given.size() == 2) {
            return power(node, given[0], given[1]);
        }
        if (given.size() == 1 && name == "abs") {
            const PythonPiece operand = number(given[0]);
            return {fmt::format("abs({})", operand.text), PieceLevel::primary, operand.type, false};
        }
        if (given.size() == 1 && (name == "int" || name == "ceil" || name == "floor")) {
            return rounded(name, given[0]);
        }
        refuse(node,
               fmt::format("{} of {} arguments is not supported in a formula over parameters; "
                           "functions are min and max of two or more, abs, pow, int, ceil "
                           "and floor",
                           node.text, given.size()));
    }

    PythonPiece extreme(const PythonNode& node, std::string_view name) const {
        std::vector<std::string> texts;
        PythonPiece result{"", PieceLevel::primary, PieceType::integer, false};
        for (const PythonNode& operand : node.operands) {
            const PythonPiece one = number(operand);
            texts.push_back(one.text);
            result.can_be_negative = result.can_be_negative || one.can_be_negative;
            result.type = wider_type(result, one);
        }
        result.text = fmt::format("{}({})", name, fmt::join(texts, ", "));
        return result;
    }

    PythonPiece rounded(std::string_view name, const PythonNode& node) const {
        const PythonFraction of = fraction(node);
        const PythonPiece& a = of.numerator;
        if (!of.denominator) {
            return a;
        }
        const PythonPiece& b = *of.denominator;
        if (name == "int") {
            return operation_piece(a, "/", b, PieceLevel::product);
        }
        if (name == "floor") {
            return floor_quotient(a, b);
        }
        if (!a.can_be_negative && !b.can_be_negative) {
            return {fmt::format("ceil_div({}, {})", a.text, b.text), PieceLevel::primary,
                    PieceType::integer, false};
        }
        return negated(floor_quotient(negated(a), b));
    }

    std::string_view text_;
    const PythonScope& scope_;
};

}  // namespace

std::string translate_python(std::string_view text, const PythonScope& scope) {
    const PythonNode node = parse_python(text);
    return PythonTranslator(text, scope).piece(node).text;
}

}  // namespace jitune::internal
