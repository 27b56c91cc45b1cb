// SPDX-License-Identifier: Apache-2.0
#include "template/default_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "template/front_matter.hpp"
#include "template/front_matter_scope.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {
namespace {

constexpr std::size_t kMostRules = 12;
constexpr std::string_view kTable = "[[default]]";

std::optional<Value> listed(const Parameter& parameter, const Scalar& wanted) {
    if (const auto* name = std::get_if<std::string>(&wanted)) {
        const auto found =
            std::find(parameter.values.begin(), parameter.values.end(), Value(*name));
        return found == parameter.values.end() ? std::nullopt : std::optional(*found);
    }
    const auto* integer = std::get_if<std::int64_t>(&wanted);
    const auto* real = std::get_if<double>(&wanted);
    if ((integer == nullptr && real == nullptr) ||
        std::holds_alternative<std::string>(parameter.values.front())) {
        return std::nullopt;
    }
    std::optional<std::int64_t> below;
    std::int64_t smallest = std::get<std::int64_t>(parameter.values.front());
    for (const Value& value : parameter.values) {
        const std::int64_t number = std::get<std::int64_t>(value);
        smallest = std::min(smallest, number);
        const bool is_below =
            integer != nullptr ? number <= *integer : static_cast<double>(number) <= *real;
        if (is_below && (!below || number > *below)) {
            below = number;
        }
    }
    return Value(below.value_or(smallest));
}

class RuleReader {
public:
    RuleReader(const FrontMatterScope& scope, const FrontMatter& front)
        : scope_(scope), reader_(scope.reader()), front_(front) {}

    DefaultRule rule(const toml::node& node) const {
        const toml::table& table = reader_.table(node, "default");
        DefaultRule result;
        result.line = reader_.line(node);
        result.text = reader_.text_or(table, "when", "default", "");
        result.when = expression(table, result.text.empty() ? "1" : result.text);
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
        if (const auto value = result.constant_value(); value && !listed(parameter, *value)) {
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

std::optional<Configuration> DefaultRule::configuration(
    std::span<const Parameter> parameters, const std::map<std::string, Scalar>& names) const {
    std::vector<Configuration::Entry> entries;
    for (const Parameter& parameter : parameters) {
        const auto own = values.find(parameter.name);
        if (own == values.end()) {
            entries.emplace_back(parameter.name, parameter.default_value());
            continue;
        }
        const auto wanted = own->second.bind(names).constant_value();
        const auto value = wanted ? listed(parameter, *wanted) : std::nullopt;
        if (!value) {
            return std::nullopt;
        }
        entries.emplace_back(parameter.name, *value);
    }
    return Configuration(std::move(entries));
}

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

std::string without_default_rules(std::string_view text) {
    std::string result;
    bool is_left_out = false;
    bool is_front = true;  // only the first comment has tables
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        is_front = is_front && line.find("*/") == std::string_view::npos;
        if (!is_front || line.starts_with('[')) {
            is_left_out = is_front && line.starts_with(kTable);
        }
        if (!is_left_out) {
            result += line;
        }
        text.remove_prefix(end);
    }
    return result;
}

}  // namespace jitune::internal
