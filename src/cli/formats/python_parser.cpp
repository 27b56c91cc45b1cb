// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "cli/formats/python_lexer.hpp"
#include "cli/formats/python_node.hpp"

namespace jitune::internal {

namespace {

using NodeKind = PythonNode::Kind;
using PythonNodes = std::vector<PythonNode>;

constexpr int kDeepest = 100;

/// Python's words for what this parser does not take.
constexpr std::array<std::string_view, 5> kRefusedWords{"lambda", "None", "is", "await", "yield"};
constexpr std::array<std::string_view, 7> kReservedWords{"and", "or",   "not", "in",
                                                         "if",  "else", "for"};

/// Recursive descent, one member per level of precedence, from the loosest.
class PythonParser {
public:
    explicit PythonParser(std::string_view text) : lexer_(text) {}

    PythonNode parse() {
        PythonNode root = expression();
        if (current().is(",")) {
            root = rest_of_list(std::move(root), NodeKind::list, "");
        }
        if (current().kind != PythonToken::Kind::end) {
            refuse_expecting("an operator or the end");
        }
        return root;
    }

private:
    using Rule = PythonNode (PythonParser::*)();

    PythonNode expression();
    PythonNode disjunction() {
        return logical(NodeKind::disjunction, "or", "||", &PythonParser::both);
    }
    PythonNode both() {
        return logical(NodeKind::conjunction, "and", "&&", &PythonParser::inversion);
    }
    PythonNode inversion();
    PythonNode comparison();
    PythonNode bit_or() { return chain({"|", "^"}, &PythonParser::bit_and); }
    PythonNode bit_and() { return chain({"&"}, &PythonParser::shift); }
    PythonNode shift() { return chain({"<<", ">>"}, &PythonParser::sum); }
    PythonNode sum() { return chain({"+", "-"}, &PythonParser::product); }
    PythonNode product() { return chain({"*", "/", "//", "%"}, &PythonParser::factor); }
    PythonNode factor();
    PythonNode power();
    PythonNode postfix();
    PythonNode primary();
    PythonNode name();

    PythonNode logical(NodeKind kind, std::string_view word, std::string_view symbol, Rule operand);
    PythonNode chain(std::initializer_list<std::string_view> symbols, Rule operand);
    PythonNode rest_of_list(PythonNode first, NodeKind kind, std::string_view close);
    PythonNode list(std::size_t begin, std::string_view close);
    PythonNode comprehension(PythonNode element);
    PythonNode nested(Rule rule);
    PythonNode make(NodeKind kind, std::size_t begin, PythonNodes operands,
                    std::string text = "") const;

    [[nodiscard]] const PythonToken& current() const { return lexer_.current(); }
    bool accept(std::string_view symbol);
    void expect(std::string_view symbol);
    std::string comparison_operator();
    [[noreturn]] void refuse_expecting(std::string_view what) const;
    [[noreturn]] void refuse_at(std::size_t offset, const std::string& message) const {
        refuse_python(lexer_.text(), offset, message);
    }

    PythonLexer lexer_;
    int nesting_ = 0;
};

bool PythonParser::accept(std::string_view symbol) {
    const bool found = current().is(symbol);
    if (found) {
        lexer_.take();
    }
    return found;
}

void PythonParser::expect(std::string_view symbol) {
    if (!accept(symbol)) {
        refuse_expecting(fmt::format("\"{}\"", symbol));
    }
}

void PythonParser::refuse_expecting(std::string_view what) const {
    const bool end = current().kind == PythonToken::Kind::end;
    refuse_at(current().begin,
              fmt::format("expected {}, found {}", what,
                          end ? "the end" : fmt::format("\"{}\"", current().source)));
}

PythonNode PythonParser::make(NodeKind kind, std::size_t begin, PythonNodes operands,
                              std::string text) const {
    PythonNode node;
    node.kind = kind;
    node.begin = begin;
    node.text = std::move(text);
    for (const PythonNode& operand : operands) {
        node.depth = std::max(node.depth, operand.depth + 1);
    }
    node.operands = std::move(operands);
    if (node.depth > kDeepest) {
        refuse_at(begin, fmt::format("nested more than {} levels deep", kDeepest));
    }
    return node;
}

PythonNode PythonParser::nested(Rule rule) {
    if (++nesting_ > kDeepest) {
        refuse_at(current().begin, fmt::format("nested more than {} levels deep", kDeepest));
    }
    PythonNode node = (this->*rule)();
    --nesting_;
    return node;
}

PythonNode PythonParser::expression() {
    PythonNode value = nested(&PythonParser::disjunction);
    if (!current().is("if")) {
        return value;
    }
    const std::size_t begin = lexer_.take().begin;
    PythonNode condition = nested(&PythonParser::disjunction);
    expect("else");
    PythonNode otherwise = nested(&PythonParser::expression);
    PythonNodes operands;
    operands.push_back(std::move(value));
    operands.push_back(std::move(condition));
    operands.push_back(std::move(otherwise));
    return make(NodeKind::conditional, begin, std::move(operands));
}

PythonNode PythonParser::logical(NodeKind kind, std::string_view word, std::string_view symbol,
                                 Rule operand) {
    const std::size_t begin = current().begin;
    PythonNode first = (this->*operand)();
    if (!current().is(word) && !current().is(symbol)) {
        return first;
    }
    PythonNodes operands;
    operands.push_back(std::move(first));
    while (accept(word) || accept(symbol)) {
        operands.push_back((this->*operand)());
    }
    return make(kind, begin, std::move(operands));
}

PythonNode PythonParser::inversion() {
    const std::size_t begin = current().begin;
    if (!accept("not")) {
        return comparison();
    }
    PythonNodes operands;
    operands.push_back(nested(&PythonParser::inversion));
    return make(NodeKind::inversion, begin, std::move(operands));
}

/// The operator here, taken; empty where there is none.
std::string PythonParser::comparison_operator() {
    if (accept("not")) {
        expect("in");
        return "not in";
    }
    if (accept("<>")) {
        return "!=";
    }
    for (const char* symbol : {"==", "!=", "<=", ">=", "<", ">", "in"}) {
        if (accept(symbol)) {
            return symbol;
        }
    }
    return "";
}

PythonNode PythonParser::comparison() {
    const std::size_t begin = current().begin;
    PythonNode first = bit_or();
    std::vector<std::string> operators;
    PythonNodes operands;
    operands.push_back(std::move(first));
    for (std::string symbol; !(symbol = comparison_operator()).empty();) {
        operators.push_back(std::move(symbol));
        operands.push_back(bit_or());
    }
    if (operators.empty()) {
        return std::move(operands.front());
    }
    PythonNode node = make(NodeKind::comparison, begin, std::move(operands));
    node.operators = std::move(operators);
    return node;
}

PythonNode PythonParser::chain(std::initializer_list<std::string_view> symbols, Rule operand) {
    PythonNode left = (this->*operand)();
    const auto matches = [this](std::string_view symbol) { return current().is(symbol); };
    while (std::any_of(symbols.begin(), symbols.end(), matches)) {
        const PythonToken token = lexer_.take();
        PythonNodes operands;
        operands.push_back(std::move(left));
        operands.push_back((this->*operand)());
        left = make(NodeKind::binary, token.begin, std::move(operands), std::string(token.source));
    }
    return left;
}

PythonNode PythonParser::factor() {
    const std::size_t begin = current().begin;
    if (accept("+")) {
        return nested(&PythonParser::factor);
    }
    if (current().is("~")) {
        refuse_at(begin, "bit operations are not supported");
    }
    const bool negated = current().is("-");
    if (!negated && !current().is("!")) {
        return power();
    }
    lexer_.take();
    PythonNodes operands;
    operands.push_back(nested(&PythonParser::factor));
    return make(negated ? NodeKind::negate : NodeKind::inversion, begin, std::move(operands));
}

PythonNode PythonParser::power() {
    PythonNode base = postfix();
    if (!current().is("**")) {
        return base;
    }
    const std::size_t begin = lexer_.take().begin;
    PythonNodes operands;
    operands.push_back(std::move(base));
    operands.push_back(nested(&PythonParser::factor));
    return make(NodeKind::binary, begin, std::move(operands), "**");
}

PythonNode PythonParser::postfix() {
    PythonNode value = primary();
    while (current().is("[")) {
        const std::size_t begin = lexer_.take().begin;
        PythonNodes operands;
        operands.push_back(std::move(value));
        operands.push_back(nested(&PythonParser::expression));
        expect("]");
        value = make(NodeKind::subscript, begin, std::move(operands));
    }
    return value;
}

/// After the first element, before a comma or `close`; an empty `close` is the end of the text.
PythonNode PythonParser::rest_of_list(PythonNode first, NodeKind kind, std::string_view close) {
    const std::size_t begin = first.begin;
    const auto at_close = [&] {
        return close.empty() ? current().kind == PythonToken::Kind::end : current().is(close);
    };
    PythonNodes elements;
    elements.push_back(std::move(first));
    while (accept(",") && !at_close()) {
        elements.push_back(nested(&PythonParser::expression));
    }
    if (!close.empty()) {
        expect(close);
    }
    return make(kind, begin, std::move(elements));
}

/// After the opening bracket.
PythonNode PythonParser::list(std::size_t begin, std::string_view close) {
    if (accept(close)) {
        return make(NodeKind::list, begin, {});
    }
    PythonNode first = nested(&PythonParser::expression);
    if (current().is("for")) {
        PythonNode node = comprehension(std::move(first));
        expect(close);
        return node;
    }
    return rest_of_list(std::move(first), NodeKind::list, close);
}

PythonNode PythonParser::comprehension(PythonNode element) {
    const std::size_t begin = current().begin;
    expect("for");
    if (current().kind != PythonToken::Kind::name) {
        refuse_expecting("the name of a variable");
    }
    std::string variable(lexer_.take().source);
    expect("in");
    PythonNodes operands;
    operands.push_back(std::move(element));
    operands.push_back(nested(&PythonParser::disjunction));
    if (accept("if")) {
        operands.push_back(nested(&PythonParser::disjunction));
    }
    if (current().is("for") || current().is("if")) {
        refuse_at(current().begin,
                  "a comprehension may have one \"for\" and one \"if\": write the list out");
    }
    return make(NodeKind::comprehension, begin, std::move(operands), std::move(variable));
}

PythonNode PythonParser::name() {
    const PythonToken token = lexer_.take();
    const auto is_token = [&](std::string_view word) { return token.source == word; };
    if (token.is("True") || token.is("False")) {
        PythonNode node = make(NodeKind::truth, token.begin, {});
        node.integer = token.is("True") ? 1 : 0;
        return node;
    }
    if (std::any_of(kRefusedWords.begin(), kRefusedWords.end(), is_token)) {
        refuse_at(token.begin, fmt::format("\"{}\" is not supported here", token.source));
    }
    if (std::any_of(kReservedWords.begin(), kReservedWords.end(), is_token)) {
        refuse_at(token.begin, fmt::format("expected a value, found \"{}\"", token.source));
    }
    std::string text(token.source);
    while (accept(".")) {
        if (current().kind != PythonToken::Kind::name) {
            refuse_expecting("a name after the point");
        }
        text += '.';
        text += lexer_.take().source;
    }
    if (!accept("(")) {
        return make(NodeKind::name, token.begin, {}, std::move(text));
    }
    PythonNode arguments = list(token.begin, ")");
    PythonNodes operands;
    if (arguments.kind == NodeKind::comprehension) {  // a generator is the one argument
        operands.push_back(std::move(arguments));
    } else {
        operands = std::move(arguments.operands);
    }
    return make(NodeKind::call, token.begin, std::move(operands), std::move(text));
}

PythonNode PythonParser::primary() {
    const PythonToken token = current();
    switch (token.kind) {
        case PythonToken::Kind::name:
            return name();
        case PythonToken::Kind::integer:
        case PythonToken::Kind::real:
        case PythonToken::Kind::text: {
            lexer_.take();
            const bool is_text = token.kind == PythonToken::Kind::text;
            PythonNode node = make(is_text                                    ? NodeKind::text
                                   : token.kind == PythonToken::Kind::integer ? NodeKind::integer
                                                                              : NodeKind::real,
                                   token.begin, {}, is_text ? std::string(token.source) : "");
            node.integer = token.integer;
            node.real = token.real;
            return node;
        }
        default:
            break;
    }
    if (accept("[")) {
        return list(token.begin, "]");
    }
    if (!accept("(")) {
        refuse_expecting("a number, a name, a text, a list or \"(\"");
    }
    if (accept(")")) {
        return make(NodeKind::list, token.begin, {});
    }
    PythonNode inner = nested(&PythonParser::expression);
    if (current().is(",")) {
        return rest_of_list(std::move(inner), NodeKind::list, ")");
    }
    if (current().is("for")) {
        inner = comprehension(std::move(inner));
    }
    expect(")");
    return inner;
}

}  // namespace

PythonNode parse_python(std::string_view text) {
    return PythonParser(text).parse();
}

}  // namespace jitune::internal
