// SPDX-License-Identifier: Apache-2.0
#include "space/expression.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
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

/// A pattern may repeat an operand, so nesting can multiply the text.
constexpr std::size_t kMaxLength = 1'000'000;

/// Shortest digits that read back as the same double, marked as a real: SQLite divides 1 and 1.0
/// differently. Its infinities are literals that overflow.
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

class SqlWriter {
public:
    void write(const ExpressionNode& node) {
        if (sql_.size() > kMaxLength) {
            throw Error(ErrorKind::usage,
                        fmt::format("an expression is longer than {} bytes as SQL: simplify it",
                                    kMaxLength));
        }
        if (node.is_literal()) {
            const std::string text = to_string(to_scalar(node.datum));
            sql_ += text.front() == '-' ? "(" + text + ")" : text;
        } else if (node.is_name()) {
            sql_ += '"' + node.text + '"';
        } else {
            write_operation(node);
        }
    }

    [[nodiscard]] std::string take() { return std::move(sql_); }

private:
    void write_operation(const ExpressionNode& node) {
        const std::string_view pattern = node.operation->sql;
        for (std::size_t i = 0; i < pattern.size(); ++i) {
            if (pattern[i] != '$') {
                sql_ += pattern[i];
                continue;
            }
            const char which = pattern[++i];
            if (which == '*' || which == '+') {
                write_list(node, which == '*' ? 0 : 1);
            } else {
                write(*node.operands[static_cast<std::size_t>(which - '0')]);
            }
        }
    }

    void write_list(const ExpressionNode& node, std::size_t first) {
        for (std::size_t i = first; i < node.operands.size(); ++i) {
            sql_ += i == first ? "" : ", ";
            write(*node.operands[i]);
        }
    }

    std::string sql_;
};

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

std::string Expression::sql() const {
    SqlWriter writer;
    writer.write(*root_);
    return writer.take();
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
