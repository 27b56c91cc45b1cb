// SPDX-License-Identifier: Apache-2.0
#include "formula/plan.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "backend/launch.hpp"
#include "formula/hints.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

using Kind = FormulaNode::Kind;

class Planner {
public:
    Planner(std::string_view text, const FormulaBinding& binding)
        : text_(text), binding_(binding) {}

    FormulaPlan plan(const std::vector<FormulaStatement>& statements) {
        for (const FormulaInput& one : binding_.inputs) {
            refuse_word(one.name);
        }
        for (const FormulaStatement& one : statements) {
            if (one.is_array) {
                written_.insert(one.name);
            }
        }
        for (const FormulaStatement& one : statements) {
            if (one.is_array) {
                store(one);
            } else {
                result(one);
            }
        }
        for (const FormulaInput& one : binding_.inputs) {
            if (!used_.contains(one.name)) {
                throw Error(
                    ErrorKind::usage,
                    fmt::format("the call brings \"{}\", which the formula does not read: {}",
                                one.name, text_));
            }
        }
        for (const FormulaOutput& one : binding_.outputs) {
            if (!written_.contains(one.name) && !by_name_.contains(one.name)) {
                throw Error(
                    ErrorKind::usage,
                    fmt::format("the call wants \"{}\", which the formula does not give; it "
                                "gives {}: {}",
                                one.name, names_of(statements), text_));
            }
        }
        return std::move(plan_);
    }

private:
    /// An input's name must not mean something else.
    static void refuse_word(const std::string& name) {
        if (is_formula_word(name)) {
            throw Error(ErrorKind::usage,
                        fmt::format("no input can be called \"{}\", which is {} in every formula: "
                                    "take another name",
                                    name,
                                    name == "n"   ? "the number of elements"
                                    : name == "i" ? "the place of an element"
                                                  : "a word"));
        }
    }

    static std::string names_of(const std::vector<FormulaStatement>& statements) {
        std::string names;
        for (const FormulaStatement& one : statements) {
            names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", one.name);
        }
        return names;
    }

    void store(const FormulaStatement& statement) {
        if (binding_.output(statement.name) == nullptr) {
            refuse(statement.at,
                   fmt::format("the formula writes \"{0}\", but the call gives no place for it: "
                               "add the array to its outputs, as in {{\"{0}\", pointer}}",
                               statement.name));
        }
        FormulaNode value = of_element(statement.value);
        stage().steps.push_back(
            {.kind = FormulaStep::Kind::store, .value = std::move(value), .array = statement.name});
        assigned_.insert(statement.name);
    }

    void result(const FormulaStatement& statement) {
        if (by_name_.contains(statement.name)) {
            refuse(statement.at, fmt::format("\"{}\" is given twice", statement.name));
        }
        if (written_.contains(statement.name)) {
            refuse(statement.at,
                   fmt::format("\"{}\" is an array elsewhere in the formula", statement.name));
        }
        std::size_t index = 0;
        if (is_reduction(statement.value)) {
            index = reduce(statement.value);
        } else {
            FormulaNode value = of_results(statement.value);
            index = plan_.results.size();
            plan_.results.push_back({{}, now_, false});
            note_readers(value);  // all its reductions are placed now
            stage().steps.push_back(
                {.kind = FormulaStep::Kind::compute, .value = std::move(value), .result = index});
        }
        plan_.results[index].name = statement.name;
        by_name_[statement.name] = index;
    }

    /// Adds the reduction that a call stands for to the stage that its expressions need.
    std::size_t reduce(const FormulaNode& node) {
        const FormulaOperation* const operation = operation_of(node);
        if (node.parts.empty() || node.parts.size() > 2) {
            refuse(node.at,
                   fmt::format("{}(expression) or {}(expression, where) reduces one expression",
                               node.text, node.text));
        }
        FormulaStep step{.kind = FormulaStep::Kind::reduce,
                         .value = of_element(node.parts.front()),
                         .operation = operation};
        if (node.parts.size() == 2) {
            step.where = of_element(node.parts.back());
        }
        step.result = plan_.results.size();
        plan_.results.push_back({{}, now_, false});
        stage().steps.push_back(std::move(step));
        return plan_.results.size() - 1;
    }

    /// The expression with results in place of the names and reductions that stand for them, for
    /// every element.
    FormulaNode of_element(const FormulaNode& node) {
        if (node.kind == Kind::call && is_reduction_in_element(node)) {
            return read_by_elements(reduce(node), node.at);
        }
        if (node.kind == Kind::name) {
            if (const auto found = by_name_.find(node.text); found != by_name_.end()) {
                return read_by_elements(found->second, node.at);
            }
            if (node.text != "i") {
                use(node);
            }
        } else if (node.kind == Kind::first) {
            use_first(node);
        }
        FormulaNode result{node.kind, node.text, {}, node.at};
        for (const FormulaNode& part : node.parts) {
            result.parts.push_back(of_element(part));
        }
        return result;
    }

    /// The same, to be computed once.
    FormulaNode of_results(const FormulaNode& node) {
        if (is_reduction(node)) {
            return name_of(reduce(node), node.at);
        }
        if (node.kind == Kind::call && formula_function(node.text) == nullptr &&
            !formula_cast_type(node.text)) {
            const std::string hint = formula_hint(node.text);
            refuse(node.at, fmt::format("\"{}\" is neither a function nor an operation that "
                                        "formulas know{}",
                                        node.text,
                                        hint.empty() ? "; operations are " +
                                                           formula_operation_names() + own_names()
                                                     : ": " + hint));
        }
        if (node.kind == Kind::name) {
            if (const auto found = by_name_.find(node.text); found != by_name_.end()) {
                return name_of(found->second, node.at);
            }
            if (is_of_elements(node)) {
                refuse(node.at,
                       fmt::format(
                           "\"{0}\" has a value for each element, but one value is needed here: "
                           "reduce it, as in sum({0}), write {0}[0], or write an array, as in "
                           "y[i] = {0}",
                           node.text));
            }
            use(node);
        } else if (node.kind == Kind::first) {
            use_first(node);
        }
        FormulaNode result{node.kind, node.text, {}, node.at};
        for (const FormulaNode& part : node.parts) {
            result.parts.push_back(of_results(part));
        }
        return result;
    }

    FormulaNode read_by_elements(std::size_t result, std::size_t at) {
        now_ = std::max(now_, plan_.results[result].stage + 1);
        plan_.results[result].is_read_later = true;
        return name_of(result, at);
    }

    void note_readers(const FormulaNode& node) {
        if (const auto result = result_of(node); result && plan_.results[*result].stage < now_) {
            plan_.results[*result].is_read_later = true;
        }
        for (const FormulaNode& part : node.parts) {
            note_readers(part);
        }
    }

    static FormulaNode name_of(std::size_t result, std::size_t at) {
        return {Kind::name, fmt::format("@{}", result), {}, at};
    }

    /// Whether an expression has another value for each element.
    [[nodiscard]] bool is_of_elements(const FormulaNode& node) const {
        if (node.kind == Kind::name) {
            const FormulaInput* const input = binding_.input(node.text);
            return node.text == "i" ||
                   (written_.contains(node.text) && !by_name_.contains(node.text)) ||
                   (input != nullptr && has_elements(*input) && !by_name_.contains(node.text));
        }
        return !(node.kind == Kind::call && is_reduction_in_element(node)) &&
               std::any_of(node.parts.begin(), node.parts.end(),
                           [&](const FormulaNode& part) { return is_of_elements(part); });
    }

    /// Where one value is needed: min(a, b) of two values is a function, else a reduction.
    [[nodiscard]] bool is_reduction(const FormulaNode& node) const {
        if (node.kind != Kind::call || operation_of(node) == nullptr) {
            return false;
        }
        return node.parts.size() < 2 || formula_function(node.text) == nullptr ||
               is_of_elements(node);
    }

    /// Where a value for each element is needed: min(a, b) is a function.
    [[nodiscard]] bool is_reduction_in_element(const FormulaNode& node) const {
        return operation_of(node) != nullptr &&
               (node.parts.size() < 2 || formula_function(node.text) == nullptr);
    }

    [[nodiscard]] std::string own_names() const {
        std::string names;
        for (const FormulaOperation& one : binding_.operations) {
            names += fmt::format(", {}", one.name);
        }
        return names;
    }

    [[nodiscard]] const FormulaOperation* operation_of(const FormulaNode& call) const {
        return formula_operation(call.text, binding_.operations);
    }

    void use(const FormulaNode& node) {
        if (is_formula_word(node.text)) {
            if (node.text == "n" || node.text == "true" || node.text == "false") {
                return;
            }
            refuse(node.at,
                   fmt::format("\"{}\" has a meaning of its own, and no value here", node.text));
        }
        if (assigned_.contains(node.text)) {
            return;
        }
        if (binding_.input(node.text) == nullptr) {
            const std::string hint = constant_hint(node.text);
            refuse(node.at,
                   fmt::format("\"{}\" is neither an input of the call nor a result above{}",
                               node.text, hint.empty() ? "" : ": " + hint));
        }
        used_.insert(node.text);
    }

    void use_first(const FormulaNode& node) {
        const FormulaInput* const input = binding_.input(node.text);
        if (input == nullptr || input->kind == FormulaInput::Kind::value) {
            refuse(
                node.at,
                fmt::format("\"{}\" is no array of the call's inputs, of which [0] could be read",
                            node.text));
        }
        if (written_.contains(node.text)) {
            refuse(node.at, fmt::format("the formula writes \"{}\", so that it cannot read {}[0]",
                                        node.text, node.text));
        }
        used_.insert(node.text);
    }

    FormulaStage& stage() {
        if (now_ >= kMaxLaunchSteps) {
            throw Error(ErrorKind::usage, fmt::format("the formula needs more than {} passes over "
                                                      "its arrays, since elements need results "
                                                      "from above: split it into two: {}",
                                                      kMaxLaunchSteps, text_));
        }
        if (plan_.stages.size() <= now_) {
            plan_.stages.resize(now_ + 1);
        }
        return plan_.stages[now_];
    }

    [[noreturn]] void refuse(std::size_t at, const std::string& flaw) const {
        refuse_formula(text_, at, flaw);
    }

    std::string_view text_;
    const FormulaBinding& binding_;
    FormulaPlan plan_;
    std::size_t now_ = 0;  // the stage of the next step
    std::set<std::string> written_;
    std::set<std::string> assigned_;  // arrays, by statements above
    std::set<std::string> used_;      // inputs
    std::map<std::string, std::size_t> by_name_;
};

}  // namespace

std::optional<std::size_t> result_of(const FormulaNode& node) {
    if (node.kind != Kind::name || !node.text.starts_with('@')) {
        return std::nullopt;
    }
    std::size_t index = 0;
    std::from_chars(node.text.data() + 1, node.text.data() + node.text.size(), index);
    return index;
}

FormulaPlan plan_formula(std::string_view text, const std::vector<FormulaStatement>& statements,
                         const FormulaBinding& binding) {
    return Planner(text, binding).plan(statements);
}

}  // namespace jitune::internal
