// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_node.hpp"

namespace jitune::internal {

namespace {

using NodeKind = PythonNode::Kind;

void add_names(const PythonNode& node, std::set<std::string>& names) {
    if (node.kind == NodeKind::name) {
        names.insert(node.text);
    }
    std::set<std::string> inner;
    for (const PythonNode& operand : node.operands) {
        add_names(operand, inner);
    }
    if (node.kind == NodeKind::comprehension) {
        inner.erase(node.text);
    }
    names.merge(inner);
}

}  // namespace

std::set<std::string> names_of(const PythonNode& node) {
    std::set<std::string> names;
    add_names(node, names);
    return names;
}

}  // namespace jitune::internal
