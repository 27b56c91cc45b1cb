// SPDX-License-Identifier: Apache-2.0
#include "template/default_rules.hpp"

#include <algorithm>

namespace jitune::internal {
namespace {

constexpr std::string_view kTable = "[[default]]";

/// Passes over a line of TOML. `open` is the quote of the text in which it begins, and then of that
/// in which it ends; empty: none.
void pass(std::string_view line, std::string_view& open) {
    for (std::size_t at = 0; at < line.size();) {
        const std::string_view rest = line.substr(at);
        const std::size_t quotes = std::min(rest.find_first_not_of(rest.front()), rest.size());
        if (open.empty() && rest.front() == '#') {
            return;
        }
        if (open.empty() && (rest.front() == '"' || rest.front() == '\'')) {
            open = rest.substr(0, quotes < 3 ? 1 : 3);
            at += open.size();
        } else if (!open.empty() && rest.starts_with(open)) {
            at += open.size() == 1 ? 1 : quotes;  // a long text may end with quotes of its own
            open = {};
        } else {
            at += open.starts_with('"') && rest.front() == '\\' ? 2 : 1;
        }
    }
}

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
    std::string_view front = text.substr(0, text.find("*/"));
    std::string result;
    std::string_view open;
    bool is_left_out = false;
    for (std::size_t end = 0; (end = front.find('\n') + 1) > 0; front.remove_prefix(end)) {
        const std::string_view line = front.substr(0, end);
        const std::string_view words = line.substr(std::min(line.find_first_not_of(" \t"), end));
        if (open.empty() && words.starts_with('[')) {
            is_left_out = words.starts_with(kTable);
        }
        pass(line, open);
        result += is_left_out ? "" : line;
    }
    return result += text.substr(static_cast<std::size_t>(front.data() - text.data()));
}

}  // namespace jitune::internal
