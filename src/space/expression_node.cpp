// SPDX-License-Identifier: Apache-2.0
#include "space/expression_node.hpp"

#include <algorithm>
#include <utility>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

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

constexpr Operation kLiteral{"literal", "", literal_value};
constexpr Operation kName{"name", "", slot_value};

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

bool Node::is_literal() const {
    return operation == &kLiteral;
}

bool Node::is_name() const {
    return operation == &kName;
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
