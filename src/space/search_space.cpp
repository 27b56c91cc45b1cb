// SPDX-License-Identifier: Apache-2.0
#include "space/search_space.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "space/combination_finder.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMaxParameters = 60;
constexpr std::size_t kMaxValues = 255;

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::usage, "search space: " + message);
}

/// No constraint could spell another name.
void check_name(const std::string& name) {
    bool plain = false;
    try {
        plain = Expression::parse(name).names() == std::set<std::string>{name};
    } catch (const Error&) {
        // Refused below, with a message about parameters.
    }
    if (!plain) {
        fail(fmt::format("\"{}\" cannot name a parameter", name));
    }
}

void check_values(const Parameter& parameter) {
    const std::vector<Value>& values = parameter.values;
    if (values.empty() || values.size() > kMaxValues) {
        fail(fmt::format("parameter {} has {} values; 1 to {} are possible", parameter.name,
                         values.size(), kMaxValues));
    }
    if (std::set<Value>(values.begin(), values.end()).size() != values.size()) {
        fail(fmt::format("parameter {} lists a value twice", parameter.name));
    }
    const auto same_kind = [&](const Value& value) {
        return value.index() == values.front().index();
    };
    if (!std::all_of(values.begin(), values.end(), same_kind)) {
        fail(fmt::format("parameter {} mixes integers and names", parameter.name));
    }
}

void check_parameters(const std::vector<Parameter>& parameters) {
    if (parameters.empty() || parameters.size() > kMaxParameters) {
        fail(fmt::format("{} parameters; 1 to {} are possible", parameters.size(), kMaxParameters));
    }
    std::set<std::string> seen;
    for (const Parameter& parameter : parameters) {
        check_values(parameter);
        // As columns of SQL: names that differ in case alone would be taken for one another.
        std::string lower = parameter.name;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        if (!seen.insert(std::move(lower)).second) {
            fail(fmt::format("two parameters are called {} (upper and lower case are the same)",
                             parameter.name));
        }
    }
}

void check_constraints(const std::vector<Expression>& constraints,
                       const std::vector<Parameter>& parameters) {
    for (const Expression& constraint : constraints) {
        for (const std::string& name : constraint.names()) {
            if (parameter_index(name, parameters) == parameters.size()) {
                fail(
                    fmt::format("constraint \"{}\" names \"{}\", which is not a parameter; the "
                                "parameters are {}",
                                constraint.text(), name, names_text(parameters)));
            }
        }
    }
}

[[noreturn]] void explain_empty(CombinationFinder& finder,
                                const std::vector<Expression>& constraints) {
    for (const Expression& constraint : constraints) {
        if (!finder.satisfiable({&constraint, 1})) {
            fail(fmt::format("no configuration satisfies the constraint \"{}\" (here {})",
                             constraint.text(), constraint.tree_text()));
        }
    }
    // The first constraint that leaves nothing together with those before it.
    const auto counts = std::views::iota(std::size_t{2}, constraints.size());
    const std::size_t count = *std::ranges::partition_point(counts, [&](std::size_t first) {
        return finder.satisfiable(std::span(constraints).first(first));
    });
    std::vector<std::string> texts;
    for (const Expression& constraint : std::span(constraints).first(count)) {
        texts.push_back(fmt::format("\"{}\"", constraint.text()));
    }
    fail(
        fmt::format("no configuration satisfies these constraints together, although the last is "
                    "the first to leave none: {}",
                    fmt::join(texts, ", ")));
}

/// The strides of a number whose digits are the positions of the values.
std::vector<std::int64_t> strides_of(const std::vector<Parameter>& parameters) {
    std::vector<std::int64_t> strides(parameters.size());
    std::int64_t stride = 1;
    for (std::size_t i = parameters.size(); i-- > 0;) {
        strides[i] = stride;
        const auto values = static_cast<std::int64_t>(parameters[i].values.size());
        if (stride > std::numeric_limits<std::int64_t>::max() / values) {
            fail("more than 2^63 combinations: list fewer values");
        }
        stride *= values;
    }
    return strides;
}

}  // namespace

SearchSpace::SearchSpace(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
    check_parameters(parameters_);
    strides_ = strides_of(parameters_);
}

SearchSpace::SearchSpace(std::vector<Parameter> parameters,
                         const std::vector<Expression>& constraints)
    : SearchSpace(std::move(parameters)) {
    for (const Parameter& parameter : parameters_) {
        check_name(parameter.name);
        for (const Value& value : parameter.values) {
            static_cast<void>(Expression::constant(to_scalar(value)));  // or throws
        }
    }
    check_constraints(constraints, parameters_);
    CombinationFinder finder(parameters_, strides_);
    numbers_ = finder.combinations(constraints);
    if (numbers_.empty()) {
        explain_empty(finder, constraints);
    }
}

SearchSpace SearchSpace::of(std::vector<Parameter> parameters,
                            std::span<const Configuration> configurations) {
    SearchSpace space(std::move(parameters));
    std::vector<std::int64_t>& numbers = space.numbers_;
    for (const Configuration& configuration : configurations) {
        const auto number = space.number_of(configuration);
        if (!number) {
            fail(fmt::format("\"{}\" has a value that is not listed", configuration.text()));
        }
        numbers.push_back(*number);
    }
    std::sort(numbers.begin(), numbers.end());
    const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
    if (twice != numbers.end()) {
        const auto index = static_cast<std::size_t>(twice - numbers.begin());
        fail(fmt::format("\"{}\" is there twice", space.at(index).text()));
    }
    if (numbers.empty()) {
        fail("there are no configurations");
    }
    return space;
}

std::optional<SearchSpace> SearchSpace::part(std::vector<Parameter> parameters) const {
    SearchSpace part(std::move(parameters));
    std::vector<std::vector<std::int64_t>> numbers(
        parameters_.size());  // by position; -1: left out
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const std::vector<Value>& left = part.parameters_[i].values;
        for (const Value& value : parameters_[i].values) {
            const auto found = std::find(left.begin(), left.end(), value);
            numbers[i].push_back(found == left.end() ? -1
                                                     : (found - left.begin()) * part.strides_[i]);
        }
    }
    for (std::size_t index = 0; index < size(); ++index) {
        std::int64_t number = 0;
        bool is_left = true;
        for (std::size_t i = 0; is_left && i < numbers.size(); ++i) {
            const std::int64_t digit = numbers[i][position(index, i)];
            is_left = digit >= 0;
            number += digit;
        }
        if (is_left) {
            part.numbers_.push_back(number);
        }
    }
    // If values keep their order, so do the numbers.
    std::sort(part.numbers_.begin(), part.numbers_.end());
    return part.numbers_.empty() ? std::nullopt : std::optional(std::move(part));
}

std::size_t SearchSpace::position(std::size_t index, std::size_t parameter) const {
    return static_cast<std::size_t>(numbers_[index] / strides_[parameter]) %
           parameters_[parameter].values.size();
}

Configuration SearchSpace::at(std::size_t index) const {
    std::vector<Configuration::Entry> entries;
    entries.reserve(parameters_.size());
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        entries.emplace_back(parameters_[i].name, parameters_[i].values[position(index, i)]);
    }
    return Configuration(std::move(entries));
}

std::size_t SearchSpace::find(const Configuration& configuration) const {
    const auto number = number_of(configuration);
    return number ? index_of(*number) : size();
}

/// Nothing if a parameter is missing or its value is not listed.
std::optional<std::int64_t> SearchSpace::number_of(const Configuration& configuration) const {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const auto& entries = configuration.entries();
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
            return candidate.first == parameters_[i].name;
        });
        if (entry == entries.end()) {
            return std::nullopt;
        }
        const std::vector<Value>& values = parameters_[i].values;
        const auto value = std::find(values.begin(), values.end(), entry->second);
        if (value == values.end()) {
            return std::nullopt;
        }
        number += (value - values.begin()) * strides_[i];
    }
    return number;
}

std::vector<std::size_t> SearchSpace::neighbours(std::size_t index) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const std::size_t own = position(index, i);
        const std::int64_t first = numbers_[index] - static_cast<std::int64_t>(own) * strides_[i];
        for (std::size_t other = 0; other < parameters_[i].values.size(); ++other) {
            const std::size_t neighbour =
                other == own ? size()
                             : index_of(first + static_cast<std::int64_t>(other) * strides_[i]);
            if (neighbour < size()) {
                found.push_back(neighbour);
            }
        }
    }
    return found;
}

std::size_t SearchSpace::index_of(std::int64_t number) const {
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    return found != numbers_.end() && *found == number
               ? static_cast<std::size_t>(found - numbers_.begin())
               : size();
}

}  // namespace jitune::internal
