// SPDX-License-Identifier: Apache-2.0
#include "template/default_rules.hpp"

#include <algorithm>

namespace jitune::internal {
namespace {

constexpr std::string_view kTable = "[[default]]";

}  // namespace

std::optional<Value> listed_value(const Parameter& parameter, const Scalar& wanted) {
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
        const auto value = wanted ? listed_value(parameter, *wanted) : std::nullopt;
        if (!value) {
            return std::nullopt;
        }
        entries.emplace_back(parameter.name, *value);
    }
    return Configuration(std::move(entries));
}

std::string without_default_rules(std::string_view text) {
    std::string result;
    bool is_left_out = false;
    bool is_front = true;  // only the first comment has tables
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        is_front = is_front && line.find("*/") == std::string_view::npos;
        const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
        if (const std::string_view words = line.substr(indent);
            !is_front || words.starts_with('[')) {
            is_left_out = is_front && words.starts_with(kTable);
        }
        if (!is_left_out) {
            result += line;
        }
        text.remove_prefix(end);
    }
    return result;
}

}  // namespace jitune::internal
