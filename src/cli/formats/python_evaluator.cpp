// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/python_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/formats/python_functions.hpp"
#include "cli/formats/python_lexer.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using NodeKind = PythonNode::Kind;
using PythonList = PythonValue::List;

constexpr std::size_t kMostSteps = 1'000'000;  // of one evaluation: parts, and elements of lists

std::size_t weight(const PythonValue& value) {
    const PythonList* const list = value.list();
    return list == nullptr ? 1
                           : std::accumulate(list->begin(), list->end(), std::size_t{1},
                                             [](std::size_t sum, const PythonValue& one) {
                                                 return sum + weight(one);
                                             });
}

/// The elements of "in": a list's.
bool contains(const PythonList& list, const PythonValue& value) {
    return std::any_of(list.begin(), list.end(), [&](const PythonValue& one) {
        return python_order(value, one) == PythonOrder::equal;
    });
}

class PythonEvaluator {
public:
    PythonEvaluator(std::string_view text, const PythonNames& names) : text_(text), names_(names) {}

    PythonValue value(const PythonNode& node) {
        PythonValue result = computed(node);
        steps_ += weight(result);
        if (steps_ > kMostSteps) {
            refuse(node, fmt::format("more than {} steps: write the values out", kMostSteps));
        }
        return result;
    }

private:
    PythonValue computed(const PythonNode& node) {
        switch (node.kind) {
            case NodeKind::integer:
                return {node.integer};
            case NodeKind::real:
                return {node.real};
            case NodeKind::text:
                return {node.text};
            case NodeKind::truth:
                return {node.integer != 0};
            case NodeKind::name:
                return named(node);
            case NodeKind::list:
                return {values(node)};
            case NodeKind::comprehension:
                return comprehension(node);
            case NodeKind::call:
                return call(node);
            case NodeKind::subscript:
                return subscript(node);
            case NodeKind::comparison:
                return {comparison(node)};
            case NodeKind::inversion:
                return {!is_python_true(value(node.operands[0]))};
            case NodeKind::conditional:
                return value(node.operands[is_python_true(value(node.operands[1])) ? 0 : 2]);
            case NodeKind::disjunction:
            case NodeKind::conjunction:
                return logical(node);
            case NodeKind::negate:
            case NodeKind::binary:
                return arithmetic(node);
        }
        refuse(node, "this is not supported");
    }

    [[noreturn]] void refuse(const PythonNode& node, const std::string& message) const {
        refuse_python(text_, node.begin, message);
    }

    /// What `work` gives; its complaint gets the place of the node.
    template <class Work>
    auto placed(const PythonNode& node, const Work& work) const {
        try {
            return work();
        } catch (const PythonFault& fault) {
            refuse(node, fault.what());
        }
    }

    PythonValue named(const PythonNode& node) const {
        const auto variable = std::find_if(variables_.rbegin(), variables_.rend(),
                                           [&](const auto& one) { return one.first == node.text; });
        if (variable != variables_.rend()) {
            return variable->second;
        }
        const auto found = names_.find(node.text);
        if (found == names_.end()) {
            refuse_unknown_name(text_, node, names_);
        }
        return found->second;
    }

    PythonList values(const PythonNode& node) {
        PythonList result;
        for (const PythonNode& operand : node.operands) {
            result.push_back(value(operand));
        }
        return result;
    }

    PythonList list_of(const PythonNode& node) {
        PythonValue result = value(node);
        const PythonList* const list = result.list();
        if (list == nullptr) {
            refuse(node, "expected a list here");
        }
        return *list;
    }

    PythonValue comprehension(const PythonNode& node) {
        PythonList result;
        for (PythonValue& one : list_of(node.operands[1])) {
            variables_.emplace_back(node.text, std::move(one));
            if (node.operands.size() < 3 || is_python_true(value(node.operands[2]))) {
                result.push_back(value(node.operands[0]));
            }
            variables_.pop_back();
        }
        return {std::move(result)};
    }

    PythonValue call(const PythonNode& node) {
        PythonList arguments = values(node);
        return placed(node, [&] { return call_python(node.text, arguments); });
    }

    PythonValue subscript(const PythonNode& node) {
        const PythonList list = list_of(node.operands[0]);
        const PythonValue index = value(node.operands[1]);
        const std::int64_t* const at = index.integer();
        const auto size = static_cast<std::int64_t>(list.size());
        if (at == nullptr || *at >= size || *at < -size) {
            refuse(node, fmt::format("the index must be an integer below {}, the number of "
                                     "elements",
                                     size));
        }
        return list[static_cast<std::size_t>(*at < 0 ? *at + size : *at)];
    }

    bool comparison(const PythonNode& node) {
        PythonValue left = value(node.operands[0]);
        for (std::size_t i = 0; i < node.operators.size(); ++i) {
            PythonValue right = value(node.operands[i + 1]);
            if (!holds(node, node.operators[i], left, right)) {
                return false;
            }
            left = std::move(right);
        }
        return true;
    }

    [[nodiscard]] bool holds(const PythonNode& node, const std::string& symbol,
                             const PythonValue& left, const PythonValue& right) const {
        if (symbol.ends_with("in")) {
            if (right.list() == nullptr) {
                refuse(node, "expected a list after \"in\"");
            }
            return contains(*right.list(), left) == (symbol == "in");
        }
        const PythonOrder order = python_order(left, right);
        if (symbol == "==" || symbol == "!=") {
            return (order == PythonOrder::equal) == (symbol == "==");
        }
        if (order == PythonOrder::none) {
            refuse(node, "these values have no order");
        }
        const bool equal = order == PythonOrder::equal;
        const bool less = order == PythonOrder::less;
        return symbol == "<"    ? less
               : symbol == "<=" ? less || equal
               : symbol == ">"  ? !less && !equal
                                : !less;
    }

    PythonValue logical(const PythonNode& node) {
        PythonValue result;
        for (const PythonNode& operand : node.operands) {
            result = value(operand);
            if (is_python_true(result) == (node.kind == NodeKind::disjunction)) {
                break;
            }
        }
        return result;
    }

    PythonValue arithmetic(const PythonNode& node) {
        const bool negates = node.kind == NodeKind::negate;
        const PythonValue left = negates ? PythonValue{std::int64_t{0}} : value(node.operands[0]);
        const PythonValue right = value(node.operands.back());
        return placed(node, [&] { return compute_python(negates ? "-" : node.text, left, right); });
    }

    std::string_view text_;
    const PythonNames& names_;
    std::vector<std::pair<std::string, PythonValue>>
        variables_;  ///< of comprehensions, outer first
    std::size_t steps_ = 0;
};

}  // namespace

PythonValue evaluate_python(const PythonNode& node, std::string_view text,
                            const PythonNames& names) {
    return PythonEvaluator(text, names).value(node);
}

}  // namespace jitune::internal
