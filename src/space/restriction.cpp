// SPDX-License-Identifier: Apache-2.0
#include "space/restriction.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kTo = "..";

/// Reads one restriction, such as "block=256,512".
class RestrictionReader {
public:
    RestrictionReader(const std::string& text, const std::vector<Parameter>& parameters)
        : text_(text), parameters_(parameters), equals_(std::min(text.find('='), text.size())) {}

    [[nodiscard]] std::size_t parameter() const {
        const std::string_view name = std::string_view(text_).substr(0, equals_);
        if (equals_ == text_.size() || name.empty()) {
            fail("expected parameter=value,value as in block=256,512 or block=64..512");
        }
        const std::size_t index = parameter_index(name, parameters_);
        if (index == parameters_.size()) {
            fail(fmt::format("unknown parameter \"{}\"; the parameters are {}", name,
                             names_text(parameters_)));
        }
        return index;
    }

    /// The values of `from` that the restriction names, in the order of `from`.
    [[nodiscard]] std::vector<Value> values(const Parameter& from) const {
        std::vector<bool> wanted(from.values.size());
        const std::string_view list = std::string_view(text_).substr(equals_ + 1);
        for (std::size_t at = 0; at <= list.size();) {
            const std::size_t end = std::min(list.find(',', at), list.size());
            mark(list.substr(at, end - at), from, wanted);
            at = end + 1;
        }
        std::vector<Value> values;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i]) {
                values.push_back(from.values[i]);
            }
        }
        return values;
    }

    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::usage, fmt::format("restriction \"{}\": {}", text_, message));
    }

private:
    /// Marks the values of one word, "256" or "64..512".
    void mark(std::string_view word, const Parameter& from, std::vector<bool>& wanted) const {
        const std::size_t to = word.find(kTo);
        const auto low = integer(word.substr(0, std::min(to, word.size())));
        const auto high =
            to == std::string_view::npos ? std::nullopt : integer(word.substr(to + kTo.size()));
        bool found = false;
        for (std::size_t i = 0; i < from.values.size(); ++i) {
            const auto* const number = std::get_if<std::int64_t>(&from.values[i]);
            const bool is_between =
                number != nullptr && low && high && *low <= *number && *number <= *high;
            if (is_between || to_string(from.values[i]) == word) {
                wanted[i] = found = true;
            }
        }
        if (!found) {
            fail(fmt::format("parameter {} cannot be \"{}\"; its values are {}", from.name, word,
                             values_text(from)));
        }
    }

    static std::optional<std::int64_t> integer(std::string_view text) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool is_whole = error == std::errc() && end == text.data() + text.size();
        return is_whole ? std::optional(value) : std::nullopt;
    }

    const std::string& text_;
    const std::vector<Parameter>& parameters_;
    std::size_t equals_;
};

}  // namespace

std::vector<Parameter> restricted_parameters(const std::vector<Parameter>& parameters,
                                             std::span<const std::string> restrictions) {
    std::vector<Parameter> result = parameters;
    std::vector<bool> named(parameters.size());
    for (const std::string& text : restrictions) {
        const RestrictionReader reader(text, parameters);
        const std::size_t index = reader.parameter();
        if (named[index]) {
            reader.fail(fmt::format("parameter {} is restricted twice; name all of its values once",
                                    parameters[index].name));
        }
        named[index] = true;
        Parameter& left = result[index];
        left.values = reader.values(parameters[index]);
        const auto standard =
            std::find(left.values.begin(), left.values.end(), parameters[index].default_value());
        left.default_index = standard == left.values.end()
                                 ? 0
                                 : static_cast<std::size_t>(standard - left.values.begin());
    }
    return result;
}

SearchSpace restricted_space(const SearchSpace& space, std::span<const std::string> restrictions) {
    auto part = space.part(restricted_parameters(space.parameters(), restrictions));
    if (part) {
        return std::move(*part);
    }
    for (const std::string& text : restrictions) {
        if (!space.part(restricted_parameters(space.parameters(), {&text, 1}))) {
            RestrictionReader(text, space.parameters())
                .fail("no legal configuration has any of these values here");
        }
    }
    throw Error(ErrorKind::usage,
                fmt::format("restrictions {}: no legal configuration fits all of them together",
                            fmt::join(restrictions, " ")));
}

}  // namespace jitune::internal
