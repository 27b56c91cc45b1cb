#include "space/search_space.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "space/parameter_tables.hpp"

namespace jitune {

namespace {

constexpr std::size_t kMaxValues = 255;

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::usage, "search space: " + message);
}

std::string names_text(const std::vector<Parameter>& parameters) {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

/// A name that an expression could not spell would reach SQL unchecked.
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
    if (parameters.empty() || parameters.size() > ParameterTables::kMaxParameters) {
        fail(fmt::format("{} parameters; 1 to {} are possible", parameters.size(),
                         ParameterTables::kMaxParameters));
    }
    std::set<std::string> seen;
    for (const Parameter& parameter : parameters) {
        check_name(parameter.name);
        check_values(parameter);
        // Column names of SQL have no case.
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
    std::set<std::string> known;
    for (const Parameter& parameter : parameters) {
        known.insert(parameter.name);
    }
    for (const Expression& constraint : constraints) {
        for (const std::string& name : constraint.names()) {
            if (!known.contains(name)) {
                fail(
                    fmt::format("constraint \"{}\" names \"{}\", which is not a parameter; the "
                                "parameters are {}",
                                constraint.text(), name, names_text(parameters)));
            }
        }
    }
}

[[noreturn]] void explain_empty(const ParameterTables& tables,
                                const std::vector<Expression>& constraints) {
    for (const Expression& constraint : constraints) {
        if (!tables.satisfiable({&constraint, 1})) {
            fail(fmt::format("no configuration satisfies the constraint \"{}\" (here {})",
                             constraint.text(), constraint.sql()));
        }
    }
    std::size_t count = 2;
    while (tables.satisfiable(std::span(constraints).first(count))) {
        ++count;
    }
    std::vector<std::string> texts;
    for (const Expression& constraint : std::span(constraints).first(count)) {
        texts.push_back(fmt::format("\"{}\"", constraint.text()));
    }
    fail(
        fmt::format("no configuration satisfies these constraints together, although the last is "
                    "the first to leave none: {}",
                    fmt::join(texts, ", ")));
}

}  // namespace

SearchSpace::SearchSpace(std::vector<Parameter> parameters,
                         const std::vector<Expression>& constraints)
    : parameters_(std::move(parameters)) {
    check_parameters(parameters_);
    check_constraints(constraints, parameters_);
    const ParameterTables tables(parameters_);
    rows_ = tables.combinations(constraints);
    if (rows_.empty()) {
        explain_empty(tables, constraints);
    }
}

Configuration SearchSpace::at(std::size_t index) const {
    std::vector<Configuration::Entry> entries;
    entries.reserve(parameters_.size());
    const std::uint8_t* row = rows_.data() + index * parameters_.size();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        entries.emplace_back(parameters_[i].name, parameters_[i].values[row[i]]);
    }
    return Configuration(std::move(entries));
}

std::size_t SearchSpace::find(const Configuration& configuration) const {
    std::vector<std::uint8_t> wanted;
    for (const Parameter& parameter : parameters_) {
        const auto& entries = configuration.entries();
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto& candidate) {
            return candidate.first == parameter.name;
        });
        if (entry == entries.end()) {
            return size();
        }
        const auto value =
            std::find(parameter.values.begin(), parameter.values.end(), entry->second);
        if (value == parameter.values.end()) {
            return size();
        }
        wanted.push_back(static_cast<std::uint8_t>(value - parameter.values.begin()));
    }
    const auto order = [&](std::size_t index) {
        return std::memcmp(rows_.data() + index * wanted.size(), wanted.data(), wanted.size());
    };
    const auto indexes = std::views::iota(std::size_t{0}, size());
    const auto found =
        std::ranges::partition_point(indexes, [&](std::size_t index) { return order(index) < 0; });
    return found != indexes.end() && order(*found) == 0 ? *found : size();
}

std::size_t SearchSpace::distance(std::size_t a, std::size_t b) const {
    const std::size_t count = parameters_.size();
    const std::uint8_t* first = rows_.data() + a * count;
    const std::uint8_t* second = rows_.data() + b * count;
    std::size_t different = 0;
    for (std::size_t i = 0; i < count; ++i) {
        different += first[i] != second[i] ? 1 : 0;
    }
    return different;
}

}  // namespace jitune
