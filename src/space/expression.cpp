// SPDX-License-Identifier: Apache-2.0
#include "space/expression.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "space/configuration.hpp"
#include "space/expression_node.hpp"

namespace jitune::internal {
namespace {

NodePointer unchanged(NodePointer node) {
    return node;
}

NodePointer folded(NodePointer node) {
    const Operands& operands = node->operands;
    if (operands.empty()) {
        return node;
    }
    const bool known = std::all_of(operands.begin(), operands.end(),
                                   [](const auto& operand) { return operand->is_literal(); });
    if (known) {
        return make_literal(to_scalar(node->evaluate({})));
    }
    NodePointer shorter =
        node->operation->shortcut != nullptr ? node->operation->shortcut(operands) : nullptr;
    return shorter != nullptr ? shorter : node;
}

/// The tree with `replace(name node)` for each name and `finish(operation node)` for each
/// operation, from the leaves up. Parts that stay the same are shared.
template <class Replace>
NodePointer rewrite(const NodePointer& node, const Replace& replace,
                    NodePointer (*finish)(NodePointer)) {
    if (node->is_name()) {
        return replace(node);
    }
    Operands operands;
    operands.reserve(node->operands.size());
    for (const NodePointer& operand : node->operands) {
        operands.push_back(rewrite(operand, replace, finish));
    }
    return finish(
        operands == node->operands ? node : make_operation(*node->operation, std::move(operands)));
}

void collect_names(const ExpressionNode& node, std::set<std::string>& names) {
    if (node.is_name()) {
        names.insert(node.text);
    }
    for (const NodePointer& operand : node.operands) {
        collect_names(*operand, names);
    }
}

/// Shortest digits that read back as the same double, marked as a real: 1 and 1.0 divide
/// differently. Infinities are literals that overflow.
std::string real_text(double value) {
    if (value - value != 0) {
        return value > 0 ? "9e999" : "-9e999";
    }
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

std::string text_of(const ExpressionNode& node) {
    if (node.is_name()) {
        return '"' + node.text + '"';
    }
    if (node.is_literal()) {
        const std::string text = to_string(to_scalar(node.datum));
        return text.front() == '-' ? "(" + text + ")" : text;
    }
    std::vector<std::string> texts;
    for (const NodePointer& operand : node.operands) {
        texts.push_back(text_of(*operand));
    }
    const std::string_view name = node.operation->name;
    if (node.operation->max_operands > 0) {
        return fmt::format("{}({})", name, fmt::join(texts, ", "));
    }
    if (texts.size() == 1) {
        return fmt::format("({}{})", name == "negate" ? "-" : "NOT ", texts.front());
    }
    if (name == "IN") {
        return fmt::format("({} IN ({}))", texts.front(),
                           fmt::join(texts.begin() + 1, texts.end(), ", "));
    }
    return fmt::format("({} {} {})", texts[0], name, texts[1]);
}

/// The name itself if no parameter has it.
NodePointer choice_of(const NodePointer& name, std::span<const Parameter> parameters) {
    const std::size_t index = parameter_index(name->text, parameters);
    if (index == parameters.size()) {
        return name;
    }
    Operands values;
    for (const Value& value : parameters[index].values) {
        values.push_back(make_literal(to_scalar(value)));
    }
    return make_choice(name->text, index, std::move(values));
}

void collect_conjuncts(const NodePointer& node, std::vector<NodePointer>& parts) {
    if (node->operation != &operator_named("AND")) {
        parts.push_back(node);
        return;
    }
    for (const NodePointer& operand : node->operands) {
        collect_conjuncts(operand, parts);
    }
}

}  // namespace

Expression::Expression(std::shared_ptr<const ExpressionNode> root, std::string text)
    : root_(std::move(root)), text_(std::move(text)) {}

Expression Expression::parse(std::string_view text) {
    return Expression(parse_expression(text), std::string(text));
}

Expression Expression::constant(const Scalar& value) {
    return Expression(make_literal(value), to_string(value));
}

const std::string& Expression::text() const {
    return text_;
}

std::set<std::string> Expression::names() const {
    std::set<std::string> names;
    collect_names(*root_, names);
    return names;
}

Expression Expression::substitute(const std::map<std::string, Expression>& definitions) const {
    const auto replace = [&](const NodePointer& name) {
        const auto found = definitions.find(name->text);
        return found != definitions.end() ? found->second.root_ : name;
    };
    return Expression(rewrite(root_, replace, unchanged), text_);
}

Expression Expression::bind(const std::map<std::string, Scalar>& values) const {
    const auto replace = [&](const NodePointer& name) {
        const auto found = values.find(name->text);
        return found != values.end() ? make_literal(found->second) : name;
    };
    return Expression(rewrite(root_, replace, folded), text_);
}

std::optional<Scalar> Expression::constant_value() const {
    return names().empty() ? std::optional(evaluate()) : std::nullopt;
}

Expression Expression::for_slots(std::span<const std::string> names) const {
    const auto replace = [&](const NodePointer& name) {
        const auto found = std::find(names.begin(), names.end(), name->text);
        if (found == names.end()) {
            throw Error(ErrorKind::usage, "expression \"" + text_ + "\": \"" + name->text +
                                              "\" is not known where it is evaluated");
        }
        return make_name(name->text, static_cast<std::size_t>(found - names.begin()));
    };
    return Expression(rewrite(root_, replace, unchanged), text_);
}

Scalar Expression::evaluate(std::span<const std::int64_t> slots) const {
    return to_scalar(root_->evaluate(slots));
}

bool is_true(const Scalar& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return *integer != 0;
    }
    const auto* real = std::get_if<double>(&value);
    return real != nullptr && *real != 0;
}

Expression Expression::for_positions(std::span<const Parameter> parameters) const {
    std::map<std::string, NodePointer> choices;  // one of a name, however often it is there
    const auto replace = [&](const NodePointer& name) {
        NodePointer& choice = choices[name->text];
        choice = choice != nullptr ? choice : choice_of(name, parameters);
        return choice;
    };
    return Expression(rewrite(root_, replace, unchanged), text_);
}

bool Expression::holds(std::span<const std::int64_t> slots) const {
    return root_->evaluate(slots).is_true();
}

std::vector<Expression> Expression::conjuncts() const {
    std::vector<NodePointer> parts;
    collect_conjuncts(root_, parts);
    std::vector<Expression> expressions;
    for (const NodePointer& part : parts) {
        expressions.push_back(Expression(part, text_of(*part)));
    }
    return expressions;
}

std::optional<Expression> Expression::solved_for(std::string_view name) const {
    if (root_->operation != &operator_named("=")) {
        return std::nullopt;
    }
    for (const std::size_t side : {0U, 1U}) {
        const NodePointer& one = root_->operands[side];
        const NodePointer& other = root_->operands[1 - side];
        if (one->is_name() && one->text == name) {
            Expression solution(other, text_of(*other));
            return solution.names().contains(one->text) ? std::nullopt
                                                        : std::optional(std::move(solution));
        }
    }
    return std::nullopt;
}

std::size_t Expression::size() const {
    return root_->size;
}

std::string Expression::tree_text() const {
    return text_of(*root_);
}

std::string to_string(const Scalar& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*integer);
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return real_text(*real);
    }
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? "'" + *text + "'" : "NULL";
}

}  // namespace jitune::internal
