// SPDX-License-Identifier: Apache-2.0
#include "space/configuration.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// Reads the words of one configuration text, each parameter at most once.
class ConfigurationReader {
public:
    ConfigurationReader(std::string_view text, std::span<const Parameter> parameters)
        : text_(text), parameters_(parameters), values_(parameters.size()) {}

    void read(std::string_view word) {
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) {
            fail(fmt::format("expected parameter=value, found \"{}\"", word));
        }
        const std::string_view name = word.substr(0, equals);
        const std::size_t index = parameter_index(name, parameters_);
        if (index == parameters_.size()) {
            fail(fmt::format("unknown parameter \"{}\"; the parameters are {}", name,
                             names_text(parameters_)));
        }
        auto& slot = values_[index];
        if (slot.has_value()) {
            fail(fmt::format("parameter {} is given twice", name));
        }
        slot = listed_value(parameters_[index], word.substr(equals + 1));
    }

    [[nodiscard]] Configuration finish() {
        std::vector<Configuration::Entry> entries;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            if (!values_[i].has_value()) {
                fail(fmt::format("parameter {} is missing; its values are {}", parameters_[i].name,
                                 values_text(parameters_[i])));
            }
            entries.emplace_back(parameters_[i].name, std::move(*values_[i]));
        }
        return Configuration(std::move(entries));
    }

private:
    [[nodiscard]] Value listed_value(const Parameter& parameter, std::string_view text) const {
        const auto value =
            std::find_if(parameter.values.begin(), parameter.values.end(),
                         [text](const Value& listed) { return to_string(listed) == text; });
        if (value == parameter.values.end()) {
            fail(fmt::format("parameter {} cannot be \"{}\"; its values are {}", parameter.name,
                             text, values_text(parameter)));
        }
        return *value;
    }

    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::usage, fmt::format("configuration \"{}\": {}", text_, message));
    }

    std::string_view text_;
    std::span<const Parameter> parameters_;
    std::vector<std::optional<Value>> values_;
};

}  // namespace

std::size_t parameter_index(std::string_view name, std::span<const Parameter> parameters) {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [name](const Parameter& one) { return one.name == name; });
    return static_cast<std::size_t>(found - parameters.begin());
}

std::string names_text(std::span<const Parameter> parameters) {
    std::vector<std::string_view> names;
    for (const Parameter& one : parameters) {
        names.push_back(one.name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string values_text(const Parameter& parameter) {
    std::vector<std::string> texts;
    for (const Value& value : parameter.values) {
        texts.push_back(to_string(value));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

const Value& Configuration::at(std::string_view name) const {
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [name](const Entry& e) { return e.first == name; });
    if (entry == entries_.end()) {
        throw std::out_of_range(fmt::format("configuration has no parameter \"{}\"", name));
    }
    return entry->second;
}

std::string Configuration::text() const {
    std::vector<std::string> words;
    for (const auto& [name, value] : entries_) {
        words.push_back(name + "=" + to_string(value));
    }
    return fmt::format("{}", fmt::join(words, " "));
}

Configuration Configuration::parse(std::string_view text, std::span<const Parameter> parameters) {
    ConfigurationReader reader(text, parameters);
    std::size_t begin = text.find_first_not_of(' ');
    while (begin != std::string_view::npos) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        reader.read(text.substr(begin, end - begin));
        begin = text.find_first_not_of(' ', end);
    }
    return reader.finish();
}

}  // namespace jitune::internal
