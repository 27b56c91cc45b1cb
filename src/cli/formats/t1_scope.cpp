// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1_scope.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/python_evaluator.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::array kBlockSizes{"block_size_x", "block_size_y", "block_size_z"};
constexpr std::array<std::int64_t, 3> kDefaultBlock{256, 1, 1};  // Kernel Tuner's

/// What `work` gives; its error begins with the member.
template <class Work>
auto in_member(const std::string& member, const Work& work) {
    try {
        return work();
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", member, error.what()));
    }
}

PythonValue python_value(const Value& value) {
    const auto* const number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? PythonValue{*number} : PythonValue{std::get<std::string>(value)};
}

PythonScope::Variable variable_of(const Parameter& parameter) {
    PythonScope::Variable result{false, false};
    for (const Value& value : parameter.values) {
        const auto* const number = std::get_if<std::int64_t>(&value);
        result.is_text = number == nullptr;
        result.can_be_negative = result.can_be_negative || (number != nullptr && *number < 0);
    }
    return result;
}

}  // namespace

std::string t1_text(const ParsedJson& value) {
    if (value.is_boolean()) {
        return value.get<bool>() ? "True" : "False";
    }
    if (!value.is_array()) {
        return value.is_string() ? value.get<std::string>() : value.dump();
    }
    std::string text = "[";
    for (const ParsedJson& element : value) {
        text += (text.size() > 1 ? ", " : "") +
                (element.is_string() ? element.dump() : t1_text(element));
    }
    return text + "]";
}

T1Scope::T1Scope(const std::vector<Parameter>& parameters, const ParsedJson& kernel) {
    for (const Parameter& parameter : parameters) {
        scope_.variables.emplace(parameter.name, variable_of(parameter));
        PythonValue::List values;
        std::transform(parameter.values.begin(), parameter.values.end(), std::back_inserter(values),
                       python_value);
        lists_.emplace(parameter.name,
                       values.size() == 1 ? values.front() : PythonValue{std::move(values)});
    }
    const ParsedJson* const size = find_member(kernel, "ProblemSize");
    if (size != nullptr && !size->is_null()) {
        read_problem_size(*size);
    }
}

void T1Scope::read_problem_size(const ParsedJson& value) {
    std::array<std::int64_t, 3> sizes{1, 1, 1};
    const std::size_t axes = value.is_array() ? value.size() : 1;
    if (axes == 0 || axes > sizes.size()) {
        throw Error(ErrorKind::usage,
                    fmt::format("ProblemSize has {} elements: give one to three", axes));
    }
    PythonValue::List list(axes);
    for (std::size_t i = 0; i < axes; ++i) {
        sizes[i] = count(value.is_array() ? value[i] : value, "ProblemSize");
        list[i].content = sizes[i];
    }
    problem_size_ = sizes;
    PythonValue python = value.is_array() ? PythonValue{std::move(list)} : list.front();
    lists_.emplace("ProblemSize", python);
    scope_.constants.emplace("ProblemSize", std::move(python));
}

std::optional<std::string> T1Scope::block_size(std::size_t axis) const {
    return scope_.variables.contains(kBlockSizes[axis])
               ? std::optional<std::string>(kBlockSizes[axis])
               : std::nullopt;
}

std::string T1Scope::condition(const ParsedJson& value, const std::string& member) const {
    return in_member(member, [&] { return translate_python(t1_text(value), scope_); });
}

std::string T1Scope::launch_formula(const ParsedJson& value, const std::string& member,
                                    std::vector<std::string>& notes) const {
    return in_member(member, [&] {
        const std::string text = t1_text(value);
        const std::set<std::string> names = names_of(parse_python(text));
        PythonScope scope = scope_;
        for (std::size_t axis = 0; axis < kBlockSizes.size(); ++axis) {
            const std::string name = kBlockSizes[axis];
            if (!scope.variables.contains(name) && names.contains(name)) {
                scope.constants.emplace(name, PythonValue{kDefaultBlock[axis]});
                std::string note = fmt::format("{} is no parameter: it is {}, as in Kernel Tuner",
                                               name, kDefaultBlock[axis]);
                if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
                    notes.push_back(std::move(note));
                }
            }
        }
        return translate_python(text, scope);
    });
}

PythonValue T1Scope::number(const ParsedJson& value, const std::string& member) const {
    return in_member(member, [&] {
        const std::string text = t1_text(value);
        PythonValue result = evaluate_python(parse_python(text), text, lists_);
        if (result.list() != nullptr || result.text() != nullptr) {
            throw Error(ErrorKind::usage,
                        fmt::format("\"{}\" is no number: a parameter of several values is a list "
                                    "here, of which max(…) and min(…) are numbers",
                                    text));
        }
        return result;
    });
}

std::int64_t T1Scope::count(const ParsedJson& value, const std::string& member) const {
    const PythonValue result = number(value, member);
    constexpr double kLargestWhole = 9e15;  // a double holds all integers up to this one
    const double real = result.real() != nullptr ? *result.real() : 0;
    const bool is_whole = real == std::floor(real) && real < kLargestWhole;
    const std::int64_t whole = result.integer() != nullptr ? *result.integer()
                               : is_whole                  ? static_cast<std::int64_t>(real)
                                                           : 0;
    if (whole < 1) {
        throw Error(ErrorKind::usage, fmt::format("{}: \"{}\" must be a whole number above 0",
                                                  member, t1_text(value)));
    }
    return whole;
}

}  // namespace jitune::internal
