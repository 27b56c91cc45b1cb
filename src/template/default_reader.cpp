// SPDX-License-Identifier: Apache-2.0
// Reads the tables [[default]].
#include <algorithm>

#include <fmt/format.h>

#include "template/default_rules.hpp"
#include "template/front_matter.hpp"
#include "template/front_matter_scope.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kMostRules = 12;

class RuleReader {
public:
    RuleReader(const FrontMatterScope& scope, const FrontMatter& front)
        : scope_(scope), reader_(scope.reader()), front_(front) {}

    DefaultRule rule(const toml::node& node) const {
        const toml::table& table = reader_.table(node, "default");
        DefaultRule result;
        result.line = reader_.line(node);
        result.text = reader_.text_or(table, "when", "default", "");
        const toml::node* const when = table.get("when");
        result.when =
            expression(when != nullptr ? *when : node, result.text.empty() ? "1" : result.text);
        for (const auto& [name, value] : reader_.in_order(table)) {
            if (name != "when") {
                result.values.emplace(name, value_of(parameter(*value, name), *value));
            }
        }
        if (result.values.empty()) {
            reader_.fail(table, "a table [[default]] needs a value for at least one parameter");
        }
        return result;
    }

private:
    const Parameter& parameter(const toml::node& at, const std::string& name) const {
        const auto found = std::ranges::find(front_.parameters, name, &Parameter::name);
        if (found == front_.parameters.end()) {
            reader_.fail(at, fmt::format("[[default]] names \"{}\", which is neither a parameter "
                                         "nor the key when",
                                         name));
        }
        return *found;
    }

    Expression value_of(const Parameter& parameter, const toml::node& node) const {
        const auto refuse = [&] {
            reader_.fail(node, fmt::format("{} of [[default]] must be one of the parameter's "
                                           "values, or an expression in quotes that gives one",
                                           parameter.name));
        };
        const auto* integer = node.as_integer();
        const auto* text = node.as_string();
        const bool has_names = std::holds_alternative<std::string>(parameter.values.front());
        if (integer != nullptr || (text != nullptr && has_names)) {
            const Value value = integer != nullptr ? Value(integer->get()) : Value(text->get());
            if (std::ranges::count(parameter.values, value) > 0) {
                return Expression::constant(to_scalar(value));
            }
        }
        if (text == nullptr ||
            (has_names && is_identifier(text->get()) && !scope_.knows(text->get()))) {
            refuse();
        }
        Expression result = expression(node, text->get());
        if (const auto value = result.constant_value(); value && !listed_value(parameter, *value)) {
            refuse();
        }
        return result;
    }

    Expression expression(const toml::node& at, const std::string& text) const {
        Expression result = scope_.expression(at, text);
        for (const std::string& name : result.names()) {
            if (std::ranges::find(front_.parameters, name, &Parameter::name) !=
                front_.parameters.end()) {
                reader_.fail(at, fmt::format("\"{}\" of [[default]] depends on the parameter {}; "
                                             "use sizes, types and device attributes",
                                             text, name));
            }
        }
        return result;
    }

    const FrontMatterScope& scope_;
    const TomlReader& reader_;
    const FrontMatter& front_;
};

}  // namespace

void read_default_rules(const FrontMatterScope& scope, const toml::table& root,
                        FrontMatter& front) {
    const toml::node* node = root.get("default");
    if (node == nullptr) {
        return;
    }
    const toml::array* list = node->as_array();
    if (list == nullptr || !list->is_array_of_tables()) {
        scope.reader().fail(*node, "default must be tables [[default]]");
    }
    if (list->size() > kMostRules) {
        scope.reader().fail(*node, fmt::format("a template has at most {} tables [[default]], not "
                                               "{}; rules that are many are not read",
                                               kMostRules, list->size()));
    }
    const RuleReader reader(scope, front);
    for (const toml::node& one : *list) {
        front.default_rules.push_back(reader.rule(one));
    }
}

}  // namespace jitune::internal
