// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/python_evaluator.hpp"
#include "cli/formats/t1_scope.hpp"
#include "jitune/error.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {

namespace {

class T1ParameterReader {
public:
    T1ParameterReader(const ParsedJson& json, std::vector<std::string>& notes)
        : json_(json), notes_(notes), name_(text_member(json, "Name")) {}

    Parameter read() {
        if (!is_identifier(name_)) {
            throw Error(ErrorKind::usage,
                        fmt::format("TuningParameters: Name \"{}\" is no name of letters, digits "
                                    "and _",
                                    name_));
        }
        Parameter result{name_, {}, 0};
        std::set<Value> seen;
        for (const PythonValue& element : elements()) {
            Value value = value_of(element, "Values");
            if (!result.values.empty() && value.index() != result.values.front().index()) {
                refuse("Values", "mixes numbers and names: give one kind");
            }
            if (!seen.insert(value).second) {
                notes_.push_back(fmt::format("TuningParameters {}: the value {} is given twice",
                                             name_, to_string(value)));
                continue;
            }
            result.values.push_back(std::move(value));
        }
        result.default_index = default_index(result.values);
        return result;
    }

private:
    [[noreturn]] void refuse(const char* member, const std::string& reason) const {
        throw Error(ErrorKind::usage,
                    fmt::format("TuningParameters {}: {} {}", name_, member, reason));
    }

    [[nodiscard]] PythonValue evaluated(const ParsedJson& json, const char* member) const {
        const std::string text = t1_text(json);
        try {
            return evaluate_python(parse_python(text), text, {});
        } catch (const Error& error) {
            refuse(member, fmt::format("cannot be read: {}", error.what()));
        }
    }

    [[nodiscard]] PythonValue::List elements() const {
        PythonValue value = evaluated(member(json_, "Values"), "Values");
        PythonValue::List list =
            value.list() != nullptr ? *value.list() : PythonValue::List{std::move(value)};
        if (list.empty()) {
            refuse("Values", "is empty: give one value or more");
        }
        return list;
    }

    [[nodiscard]] Value value_of(const PythonValue& value, const char* member) const {
        if (const bool* const truth = value.truth()) {
            return static_cast<std::int64_t>(*truth);
        }
        if (value.integer() != nullptr) {
            return *value.integer();
        }
        if (value.real() != nullptr) {
            refuse(member, fmt::format("has {}: jitune's parameters are integers or names, not "
                                       "reals",
                                       *value.real()));
        }
        if (value.text() == nullptr || !is_identifier(*value.text())) {
            refuse(member, value.text() == nullptr
                               ? "has a list within the list: write integers or names"
                               : fmt::format("has '{}': a name has letters, digits and _, and "
                                             "no digit first",
                                             *value.text()));
        }
        return *value.text();
    }

    /// A text is the name itself where the values are names.
    [[nodiscard]] Value default_value(const ParsedJson& given, const Value& like) const {
        if (given.is_string() && std::holds_alternative<std::string>(like)) {
            return given.get<std::string>();
        }
        const PythonValue value = evaluated(given, "Default");
        const PythonValue::List* const list = value.list();
        return value_of(list != nullptr && list->size() == 1 ? list->front() : value, "Default");
    }

    [[nodiscard]] std::size_t default_index(const std::vector<Value>& values) {
        const ParsedJson* const given = find_member(json_, "Default");
        if (given == nullptr || given->is_null()) {
            return 0;
        }
        const Value wanted = default_value(*given, values.front());
        const auto found = std::find(values.begin(), values.end(), wanted);
        if (found == values.end()) {
            notes_.push_back(
                fmt::format("TuningParameters {}: Default {} is not among its values: the default "
                            "is the first, {}",
                            name_, to_string(wanted), to_string(values.front())));
            return 0;
        }
        return static_cast<std::size_t>(found - values.begin());
    }

    const ParsedJson& json_;
    std::vector<std::string>& notes_;
    std::string name_;
};

}  // namespace

std::vector<Parameter> read_t1_parameters(const ParsedJson& space,
                                          std::vector<std::string>& notes) {
    std::vector<Parameter> parameters;
    for (const ParsedJson& json : list_member(space, "TuningParameters")) {
        parameters.push_back(T1ParameterReader(json, notes).read());
    }
    if (parameters.empty()) {
        throw Error(ErrorKind::usage, "TuningParameters is empty: there is nothing to tune");
    }
    return parameters;
}

}  // namespace jitune::internal
