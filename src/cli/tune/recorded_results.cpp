// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/recorded_results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

[[noreturn]] void refuse_result(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

/// Integers stay integers; any other value becomes its text.
Value recorded_value(const ParsedJson& json, const std::string& result) {
    if (json.is_boolean()) {
        return static_cast<std::int64_t>(json.get<bool>());
    }
    if (json.is_number()) {
        const auto number = json.get<double>();
        if (number == std::floor(number) && std::abs(number) < 1e15) {
            return static_cast<std::int64_t>(number);
        }
    }
    if (json.is_structured()) {
        refuse_result(
            fmt::format("{}: the value of a parameter is a list or an object: use a "
                        "number, a text or a truth value",
                        result));
    }
    return json.is_string() ? json.get<std::string>() : json.dump();
}

/// A parameter with the values that occur, in order. They are all integers or all texts.
Parameter parameter_of(std::string name, std::size_t column,
                       std::vector<RecordedSpace::Row>& rows) {
    const bool integers = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
        return std::holds_alternative<std::int64_t>(row.values[column]);
    });
    std::set<Value> values;
    for (RecordedSpace::Row& row : rows) {
        Value& value = row.values[column];
        if (!integers) {
            value = to_string(value);
        }
        values.insert(value);
    }
    return {std::move(name), {values.begin(), values.end()}, 0};
}

}  // namespace

void RecordedResults::add(const ParsedJson& configuration, const std::string& result,
                          std::optional<double> time_ns) {
    std::vector<Value> values;
    for (const std::string& name : names_) {
        const auto value = configuration.find(name);
        if (value == configuration.end()) {
            refuse_result(fmt::format("{} has no value for parameter {}", result, name));
        }
        values.push_back(recorded_value(*value, result));
    }
    times_[std::move(values)] = time_ns;
}

RecordedSpace RecordedResults::space() const {
    if (times_.empty()) {
        refuse_result("there is no result of a legal configuration");
    }
    std::vector<RecordedSpace::Row> rows;
    for (const auto& [values, time_ns] : times_) {
        rows.push_back({values, time_ns});
    }
    std::vector<Parameter> parameters;
    for (std::size_t column = 0; column < names_.size(); ++column) {
        parameters.push_back(parameter_of(names_[column], column, rows));
    }
    return RecordedSpace(parameters, rows);
}

std::vector<std::pair<std::string, Json>> configuration_members(const std::string& configuration) {
    std::vector<std::pair<std::string, Json>> members;
    std::istringstream words(configuration);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        const std::string value = word.substr(equals + 1);
        std::int64_t number = 0;
        const char* const last = value.data() + value.size();
        const auto [end, error] = std::from_chars(value.data(), last, number);
        const bool integer = error == std::errc() && end == last;
        members.emplace_back(word.substr(0, equals), integer ? Json(number) : Json(value));
    }
    return members;
}

}  // namespace jitune::internal
