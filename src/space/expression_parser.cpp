// SPDX-License-Identifier: Apache-2.0
#include "space/expression_node.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "space/expression_lexer.hpp"

namespace jitune::internal {

namespace {

constexpr int kMaxNesting = 200;

/// Recursive descent, one member per level of precedence, from the loosest.
class Parser {
public:
    explicit Parser(std::string_view text) : lexer_(text) {}

    NodePointer parse() {
        NodePointer root = disjunction();
        if (current().kind != Token::Kind::end) {
            fail_expecting("an operator or the end");
        }
        return root;
    }

private:
    using Rule = NodePointer (Parser::*)();

    NodePointer disjunction() { return chain({"OR"}, &Parser::conjunction); }
    NodePointer conjunction() { return chain({"AND"}, &Parser::negation); }
    NodePointer negation();
    NodePointer comparison();
    NodePointer sum() { return chain({"+", "-"}, &Parser::product); }
    NodePointer product() { return chain({"*", "/", "%"}, &Parser::factor); }
    NodePointer factor();
    NodePointer primary();
    NodePointer parenthesized();
    NodePointer name_or_call();

    NodePointer membership(NodePointer wanted, bool negated);
    [[noreturn]] void refuse_chain(std::size_t begin, std::size_t first, std::size_t middle);
    NodePointer chain(std::initializer_list<std::string_view> symbols, Rule operand);
    NodePointer nested(Rule rule);
    Operands list();
    NodePointer number(const Token& token, std::string_view sign);

    [[nodiscard]] const Token& current() const { return lexer_.current(); }
    [[nodiscard]] bool at_comparison() const;
    bool accept(std::string_view symbol);
    void expect(std::string_view symbol);
    [[noreturn]] void fail_expecting(std::string_view what) const;
    [[nodiscard]] std::string_view source(std::size_t begin, std::size_t end) const;

    ExpressionLexer lexer_;
    std::size_t last_end_ = 0;  ///< where the last token taken ends
    int nesting_ = 0;
};

bool Parser::accept(std::string_view symbol) {
    if (!current().is(symbol)) {
        return false;
    }
    last_end_ = lexer_.take().end;
    return true;
}

void Parser::expect(std::string_view symbol) {
    if (!accept(symbol)) {
        fail_expecting(fmt::format("\"{}\"", symbol));
    }
}

void Parser::fail_expecting(std::string_view what) const {
    const bool end = current().kind == Token::Kind::end;
    lexer_.fail(current().begin,
                fmt::format("expected {}, found {}", what,
                            end ? "the end"
                                : fmt::format("\"{}\"", source(current().begin, current().end))));
}

std::string_view Parser::source(std::size_t begin, std::size_t end) const {
    return lexer_.text().substr(begin, end - begin);
}

NodePointer Parser::chain(std::initializer_list<std::string_view> symbols, Rule operand) {
    NodePointer left = (this->*operand)();
    const auto matches = [this](std::string_view symbol) { return current().is(symbol); };
    while (std::any_of(symbols.begin(), symbols.end(), matches)) {
        const Operation& operation = operator_named(current().symbol);
        accept(current().symbol);
        NodePointer right = (this->*operand)();
        left = make_operation(operation, {std::move(left), std::move(right)});
    }
    return left;
}

NodePointer Parser::nested(Rule rule) {
    if (++nesting_ > kMaxNesting) {
        lexer_.fail(current().begin, fmt::format("nested more than {} levels deep", kMaxNesting));
    }
    NodePointer node = (this->*rule)();
    --nesting_;
    return node;
}

NodePointer Parser::negation() {
    return accept("NOT") ? make_operation(operator_named("NOT"), {nested(&Parser::negation)})
                         : comparison();
}

bool Parser::at_comparison() const {
    constexpr std::string_view kComparisons[]{"=", "!=", "<", "<=", ">", ">=", "IN", "NOT"};
    return std::any_of(std::begin(kComparisons), std::end(kComparisons),
                       [this](std::string_view symbol) { return current().is(symbol); });
}

NodePointer Parser::comparison() {
    const std::size_t begin = current().begin;
    NodePointer left = sum();
    if (!at_comparison()) {
        return left;
    }
    const std::size_t first = current().begin;
    const bool negated = accept("NOT");
    std::size_t middle = current().begin;
    if (negated || current().is("IN")) {
        left = membership(std::move(left), negated);
    } else {
        const Operation& operation = operator_named(current().symbol);
        accept(current().symbol);
        middle = current().begin;
        left = make_operation(operation, {std::move(left), sum()});
    }
    if (at_comparison()) {
        refuse_chain(begin, first, middle);
    }
    return left;
}

/// At the second comparison of `a < b < c`; `first` is where the first one stands and `middle`
/// where its right side begins.
void Parser::refuse_chain(std::size_t begin, std::size_t first, std::size_t middle) {
    const std::size_t second = current().begin;
    const bool both_plain = source(first, first + 1).find_first_of("=!<>") == 0 &&
                            source(second, second + 1).find_first_of("=!<>") == 0;
    if (!both_plain) {
        lexer_.fail(second, "comparisons do not chain: put parentheses around the first");
    }
    const std::size_t middle_end = last_end_;
    accept(current().symbol);
    sum();
    lexer_.fail(second, fmt::format("comparisons do not chain: write {} AND {} {}",
                                    source(begin, middle_end), source(middle, middle_end),
                                    source(second, last_end_)));
}

NodePointer Parser::membership(NodePointer wanted, bool negated) {
    expect("IN");
    expect("(");
    Operands operands = list();
    operands.insert(operands.begin(), std::move(wanted));
    NodePointer found = make_operation(operator_named("IN"), std::move(operands));
    return negated ? make_operation(operator_named("NOT"), {std::move(found)}) : found;
}

NodePointer Parser::factor() {
    if (!accept("-")) {
        return primary();
    }
    if (current().kind == Token::Kind::integer || current().kind == Token::Kind::real) {
        const Token token = lexer_.take();
        last_end_ = token.end;
        return number(token, "-");
    }
    return make_operation(operator_named("negate"), {nested(&Parser::factor)});
}

NodePointer Parser::primary() {
    if (accept("(")) {
        return parenthesized();
    }
    const Token::Kind kind = current().kind;
    if (kind == Token::Kind::name) {
        return name_or_call();
    }
    if (kind == Token::Kind::symbol || kind == Token::Kind::end) {
        fail_expecting("a number, a name, a text, a function or \"(\"");
    }
    const Token token = lexer_.take();
    last_end_ = token.end;
    return kind == Token::Kind::text ? make_literal(std::string(token.source)) : number(token, "");
}

NodePointer Parser::parenthesized() {
    NodePointer inside = nested(&Parser::disjunction);
    expect(")");
    return inside;
}

NodePointer Parser::number(const Token& token, std::string_view sign) {
    const std::string digits = std::string(sign) + std::string(token.source);
    const auto read = [&](auto value) {
        const auto answer = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (answer.ec != std::errc()) {
            lexer_.fail(token.begin, digits + " does not fit a 64-bit number");
        }
        return make_literal(value);
    };
    return token.kind == Token::Kind::integer ? read(std::int64_t{0}) : read(0.0);
}

NodePointer Parser::name_or_call() {
    const Token name = lexer_.take();
    last_end_ = name.end;
    if (!accept("(")) {
        return make_name(name.source);
    }
    const auto known = functions();
    const auto function = std::find_if(known.begin(), known.end(), [&](const Operation& row) {
        return same_word(row.name, name.source);
    });
    if (function == known.end()) {
        std::vector<std::string_view> names;
        std::transform(known.begin(), known.end(), std::back_inserter(names),
                       [](const Operation& row) { return row.name; });
        lexer_.fail(name.begin, fmt::format("unknown function {}; the functions are {}",
                                            name.source, fmt::join(names, ", ")));
    }
    Operands operands = list();
    if (operands.size() < function->min_operands || operands.size() > function->max_operands) {
        lexer_.fail(name.begin, fmt::format("{} takes {} arguments, found {}", function->name,
                                            function->min_operands == function->max_operands
                                                ? std::to_string(function->min_operands)
                                                : fmt::format("{} to {}", function->min_operands,
                                                              function->max_operands),
                                            operands.size()));
    }
    return make_operation(*function, std::move(operands));
}

/// After "(": one operand or more, and the ")".
Operands Parser::list() {
    Operands operands;
    do {
        operands.push_back(nested(&Parser::disjunction));
    } while (accept(","));
    expect(")");
    return operands;
}

}  // namespace

NodePointer parse_expression(std::string_view text) {
    return Parser(text).parse();
}

}  // namespace jitune::internal
