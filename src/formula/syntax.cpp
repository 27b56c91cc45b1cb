// SPDX-License-Identifier: Apache-2.0
#include "formula/syntax.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "formula/hints.hpp"
#include "formula/vocabulary.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using Kind = FormulaNode::Kind;

constexpr std::size_t kMostCharacters = 16'384;
constexpr std::size_t kMostNesting = 100;  // the parser calls itself
constexpr std::size_t kMostDepth = 200;    // compilers count brackets, and some take 256
constexpr std::size_t kMostName = 48;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct Token {
    enum class Kind { name, number, sign, end } kind = Kind::end;
    std::string_view text;
    std::size_t at = 0;
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) {}

    Token next() {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
            ++at_;
        }
        const std::size_t begin = at_;
        if (at_ == text_.size()) {
            return {Token::Kind::end, {}, begin};
        }
        if (is_letter(text_[at_])) {
            skip_name();
            refuse_qualified(begin);
            return {Token::Kind::name, text_.substr(begin, at_ - begin), begin};
        }
        if (is_digit(text_[at_]) ||
            (text_[at_] == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            skip_number();
            return {Token::Kind::number, text_.substr(begin, at_ - begin), begin};
        }
        refuse_qualified(begin);  // .sum()
        at_ += sign_length();
        return {Token::Kind::sign, text_.substr(begin, at_ - begin), begin};
    }

private:
    template <class Test>
    void skip(const Test& test) {
        while (at_ < text_.size() && test(text_[at_])) {
            ++at_;
        }
    }

    void skip_name() {
        skip([](char c) { return is_letter(c) || is_digit(c); });
    }

    /// Names of modules and of members, as in np.sum, x.sum(), std::max and (x * y).sum().
    void refuse_qualified(std::size_t begin) {
        const auto joint = [&] {
            const std::size_t length = text_.substr(at_, 2) == "::" ? 2 : 1;
            const bool is_joint = length == 2 || text_.substr(at_, 1) == ".";
            return is_joint && at_ + length < text_.size() && is_letter(text_[at_ + length])
                       ? length
                       : 0;
        };
        const std::size_t end = at_;
        for (std::size_t length = joint(); length > 0; length = joint()) {
            at_ += length;
            skip_name();
        }
        if (at_ > end) {
            const std::string arguments = hint_of_arguments(text_.substr(at_));
            refuse_formula(text_, begin,
                           qualified_hint(text_.substr(begin, at_ - begin)) +
                               (arguments.empty() ? "" : "; " + arguments));
        }
    }

    /// Answers the first argument that has a name in "(x, axis=1) ...".
    static std::string hint_of_arguments(std::string_view call) {
        const std::size_t sign = call.substr(0, call.find(')')).find('=');
        if (!call.starts_with('(') || sign == std::string_view::npos) {
            return "";
        }
        const std::size_t before = call.find_last_of(" (,", sign) + 1;
        return formula_hint(call.substr(before, sign - before + 1));
    }

    /// Digits, letters and points, and the sign of an exponent: what they mean is read later.
    void skip_number() {
        const bool is_hexadecimal = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
        while (at_ < text_.size() &&
               (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) {
            const bool is_exponent = !is_hexadecimal && (text_[at_] == 'e' || text_[at_] == 'E');
            ++at_;
            if (is_exponent && at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
                ++at_;
            }
        }
    }

    [[nodiscard]] std::size_t sign_length() const {
        constexpr std::array<std::string_view, 9> kLong{
            "**", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
        constexpr std::string_view kShort = "+-*/%<>=!&|^~?:(),;[]";
        const std::string_view two = text_.substr(at_, 2);
        if (std::find(kLong.begin(), kLong.end(), two) != kLong.end()) {
            return 2;
        }
        if (two == "//") {
            refuse_formula(text_, at_,
                           "formulas have neither the operator // nor comments: write "
                           "floor(a / b), of integers a / b");
        }
        if (kShort.find(text_[at_]) != std::string_view::npos) {
            return 1;
        }
        if (text_[at_] == '@') {
            refuse_formula(text_, at_, "write sum(x * y) in place of x @ y");
        }
        const auto byte = static_cast<unsigned char>(text_[at_]);
        refuse_formula(
            text_, at_,
            byte >= 0x20 && byte < 0x7f
                ? fmt::format("the character \"{}\" has no place in a formula", text_[at_])
                : fmt::format("the byte {:#04x} has no place in a formula", byte));
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

struct Operator {
    std::string_view text;
    int rank;                       ///< a higher one binds tighter
    std::string_view meaning = {};  ///< empty: the text
};
constexpr int kComparison = 7;  // from here to kComparison + 1
constexpr int kNot = 6;         // Python's `not` has comparisons as operands
constexpr std::array kOperators{
    Operator{"||", 1},
    Operator{"or", 1, "||"},
    Operator{"&&", 2},
    Operator{"and", 2, "&&"},
    Operator{"|", 3},
    Operator{"^", 4},
    Operator{"&", 5},
    Operator{"==", kComparison},
    Operator{"!=", kComparison},
    Operator{"<", kComparison + 1},
    Operator{"<=", kComparison + 1},
    Operator{">", kComparison + 1},
    Operator{">=", kComparison + 1},
    Operator{"<<", 9},
    Operator{">>", 9},
    Operator{"+", 10},
    Operator{"-", 10},
    Operator{"*", 11},
    Operator{"/", 11},
    Operator{"%", 11},
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text), lexer_(text), now_(lexer_.next()) {}

    std::vector<FormulaStatement> statements() {
        std::vector<FormulaStatement> result;
        while (now_.kind != Token::Kind::end) {
            if (takes(";")) {
                continue;
            }
            result.push_back(statement());
            refuse_deep(result.back().value, 0);
            if (now_.kind != Token::Kind::end && !takes(";")) {
                refuse_here(is("=") ? "only a name, or a name with [i], may stand before ="
                                    : "an operator or ; is missing here");
            }
        }
        if (result.empty()) {
            refuse_formula(text_, 0, "the formula is empty: write for instance sum(x * y)");
        }
        refuse_unnamed(result);
        return result;
    }

private:
    /// Of a chain such as a + b + c each operation stands in the next.
    void refuse_deep(const FormulaNode& node, std::size_t depth) const {
        if (depth > kMostDepth) {
            refuse_formula(text_, node.at,
                           fmt::format("more than {} operations stand in one another here: a + b + "
                                       "c has two",
                                       kMostDepth));
        }
        for (const FormulaNode& part : node.parts) {
            refuse_deep(part, depth + 1);
        }
    }

    void refuse_unnamed(const std::vector<FormulaStatement>& all) const {
        for (const FormulaStatement& one : all) {
            if (one.name.empty() && all.size() > 1) {
                refuse_formula(text_, one.at,
                               "one of several statements needs a name: write name = before it");
            }
        }
    }

    FormulaStatement statement() {
        const std::size_t at = now_.at;
        FormulaNode left = expression();
        if (!is("=")) {
            return {"", false, std::move(left), at};
        }
        if (left.kind != Kind::name || was_first_in_parentheses_) {
            refuse_here("only a name, or a name with [i], may stand before =");
        }
        if (is_formula_word(left.text)) {
            refuse_formula(
                text_, at,
                fmt::format("\"{}\" has a meaning of its own: take another name", left.text));
        }
        const bool is_array = was_indexed_;
        advance();
        return {left.text, is_array, expression(), at};
    }

    FormulaNode expression() { return choice(); }

    FormulaNode choice() {
        const Deeper deeper(*this);
        FormulaNode condition = binary(1);
        if (is("if")) {
            refuse_here("write where(c, a, b) in place of a if c else b");
        }
        if (!is("?")) {
            return condition;
        }
        FormulaNode node{Kind::choice, "?", {}, now_.at};
        advance();
        node.parts.push_back(std::move(condition));
        node.parts.push_back(choice());
        expect(":", "a choice is condition ? a : b");
        node.parts.push_back(choice());
        return node;
    }

    [[nodiscard]] const Operator* operator_here() const {
        if (now_.kind != Token::Kind::sign && now_.kind != Token::Kind::name) {
            return nullptr;
        }
        const auto* const found =
            std::find_if(kOperators.begin(), kOperators.end(),
                         [&](const Operator& one) { return one.text == now_.text; });
        return found == kOperators.end() ? nullptr : found;
    }

    FormulaNode binary(int least) {
        FormulaNode left = least <= kNot && is("not") ? python_not() : unary();
        bool compared = false;
        for (const Operator* one = operator_here(); one != nullptr && one->rank >= least;
             one = operator_here()) {
            const bool compares = one->rank == kComparison || one->rank == kComparison + 1;
            if (compares && compared) {
                refuse_chain(now_.at);
            }
            compared = compares;
            FormulaNode node{Kind::binary,
                             std::string(one->meaning.empty() ? one->text : one->meaning),
                             {},
                             now_.at};
            advance();
            node.parts.push_back(std::move(left));
            node.parts.push_back(binary(one->rank + 1));
            if (compares && was_comparison_) {
                refuse_chain(node.at);
            }
            left = std::move(node);
        }
        was_comparison_ = compared;
        return left;
    }

    [[noreturn]] void refuse_chain(std::size_t at) const {
        refuse_formula(
            text_, at,
            "a comparison of a comparison: join two of them by &&, as in a < b && b < c");
    }

    FormulaNode python_not() {
        const Deeper deeper(*this);
        FormulaNode node{Kind::unary, "!", {}, now_.at};
        advance();
        node.parts.push_back(binary(kNot));
        return node;
    }

    FormulaNode unary() {
        const Deeper deeper(*this);
        for (const std::string_view sign : {"-", "+", "!", "~"}) {
            if (is(sign)) {
                FormulaNode node{Kind::unary, std::string(sign), {}, now_.at};
                advance();
                node.parts.push_back(unary());
                return node;
            }
        }
        return power();
    }

    FormulaNode power() {
        FormulaNode base = primary();
        if (!is("**")) {
            return base;
        }
        FormulaNode node{Kind::binary, "**", {}, now_.at};
        advance();
        node.parts.push_back(std::move(base));
        node.parts.push_back(unary());
        return node;
    }

    FormulaNode primary() {
        was_indexed_ = false;
        was_first_in_parentheses_ = false;
        if (now_.kind == Token::Kind::number) {
            FormulaNode node{Kind::number, std::string(now_.text), {}, now_.at};
            advance();
            return node;
        }
        if (now_.kind == Token::Kind::name) {
            return named();
        }
        if (takes("(")) {
            FormulaNode inside = expression();
            expect(")", "a bracket is open");
            was_first_in_parentheses_ = true;
            return inside;
        }
        if (is("=") && now_.at > 0 &&
            std::string_view("+-*/%&|^<>").find(text_[now_.at - 1]) != text_.npos) {
            refuse_here("formulas have no += and the like: write x[i] = x + y");
        }
        refuse_here(now_.kind == Token::Kind::end
                        ? "the formula ends where a value should stand"
                        : fmt::format("\"{}\" stands where a value should", now_.text));
    }

    FormulaNode named() {
        FormulaNode node{Kind::name, std::string(now_.text), {}, now_.at};
        if (node.text.size() > kMostName) {
            refuse_here(fmt::format("a name has at most {} characters", kMostName));
        }
        if (operator_here() != nullptr || is("not")) {
            refuse_here(fmt::format("\"{}\" stands where a value should", now_.text));
        }
        if (is("True") || is("False") || is("None")) {  // no caller in Python has such a name
            refuse_here(constant_hint(now_.text));
        }
        advance();
        if (takes("(")) {
            node.kind = Kind::call;
            while (!is(")")) {
                node.parts.push_back(expression());
                if (!takes(",")) {
                    break;
                }
            }
            if (is("=")) {
                const std::string hint =
                    node.parts.empty() ? "" : formula_hint(node.parts.back().text + "=");
                refuse_here(hint.empty() ? "arguments have no names, and a comparison is =="
                                         : "arguments have no names: " + hint);
            }
            expect(")", fmt::format("the call of {} has no end", node.text));
            was_indexed_ = false;
            return node;
        }
        if (takes("[")) {
            read_index(node);
        }
        return node;
    }

    void read_index(FormulaNode& node) {
        if (text_.substr(0, text_.find(']', now_.at)).find(':', now_.at) != text_.npos) {
            refuse_index(": give a slice as another input");
        }
        const bool is_element = is("i");
        if (!is_element && !is("0")) {
            refuse_index(
                now_.kind == Token::Kind::number
                    ? fmt::format(": give what lies at [{}] as another input, a scalar", now_.text)
                    : "");
        }
        node.kind = is_element ? Kind::name : Kind::first;
        advance();
        if (is_element && (is("+") || is("-"))) {
            refuse_index(": give the neighbours as another input, an array that begins there");
        }
        if (!takes("]") || is("[")) {
            refuse_index("; rows and columns are the call's, as in each_row(rows, columns)");
        }
        was_indexed_ = is_element;
    }

    [[noreturn]] void refuse_index(const std::string& more) const {
        refuse_here("an array is read at [i] or at [0] alone" + more);
    }

    [[nodiscard]] bool is(std::string_view text) const {
        return now_.kind != Token::Kind::end && now_.text == text;
    }

    bool takes(std::string_view text) {
        const bool found = is(text);
        if (found) {
            advance();
        }
        return found;
    }

    void expect(std::string_view text, const std::string& flaw) {
        if (!takes(text)) {
            refuse_here(fmt::format("{}: {} is missing here", flaw, text));
        }
    }

    void advance() { now_ = lexer_.next(); }

    [[noreturn]] void refuse_here(const std::string& flaw) const {
        refuse_formula(text_, now_.at, flaw);
    }

    struct Deeper {
        explicit Deeper(Parser& of) : parser(of) {
            if (++parser.depth_ > kMostNesting) {
                parser.refuse_here(
                    fmt::format("more than {} parts stand in one another", kMostNesting));
            }
        }
        ~Deeper() { --parser.depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        Parser& parser;
    };

    std::string_view text_;
    Lexer lexer_;
    Token now_;
    std::size_t depth_ = 0;
    // Of the primary that was read last.
    bool was_indexed_ = false;
    bool was_first_in_parentheses_ = false;
    bool was_comparison_ = false;  // the expression that was read last, without parentheses
};

}  // namespace

void refuse_formula(std::string_view text, std::size_t at, const std::string& flaw) {
    constexpr std::size_t kAround = 40;
    const std::size_t begin = at < kAround ? 0 : at - kAround;
    std::string shown(text.substr(begin, 2 * kAround));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < 0x20 || c == 0x7f; },
        ' ');  // also beyond ASCII
    throw Error(ErrorKind::usage, fmt::format("formula, character {}: {}\n    {}\n    {:>{}}",
                                              at + 1, flaw, shown, "^", at - begin + 1));
}

std::vector<FormulaStatement> parse_formula(std::string_view text) {
    if (text.size() > kMostCharacters) {
        throw Error(
            ErrorKind::usage,
            fmt::format("the formula has {} characters; it may have {}: split it into several",
                        text.size(), kMostCharacters));
    }
    std::vector<FormulaStatement> statements = Parser(text).statements();
    for (FormulaStatement& one : statements) {
        if (one.name.empty()) {
            one.name = FormulaStatement::kResult;
        }
    }
    return statements;
}

namespace {

/// Gathers the names of an expression that are not `given` by statements above.
void gather_inputs(const FormulaNode& node, const std::vector<std::string>& given,
                   std::vector<std::string>& names) {
    const auto holds = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), node.text) != list.end();
    };
    const bool is_name = node.kind == Kind::name || node.kind == Kind::first;
    if (is_name && !holds(given) && !holds(names) && !is_formula_word(node.text)) {
        names.push_back(node.text);
    }
    for (const FormulaNode& part : node.parts) {
        gather_inputs(part, given, names);
    }
}

}  // namespace

std::vector<std::string> formula_inputs(const std::vector<FormulaStatement>& statements) {
    std::vector<std::string> given, names;
    for (const FormulaStatement& one : statements) {
        gather_inputs(one.value, given, names);
        given.push_back(one.name);
    }
    return names;
}

}  // namespace jitune::internal
