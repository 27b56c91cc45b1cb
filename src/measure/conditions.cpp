// SPDX-License-Identifier: Apache-2.0
#include "measure/conditions.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace jitune::internal {

namespace {

// The names of values, in their order. The text has no word for an empty name.
constexpr std::array kCaches{"cold", "warm"};
constexpr std::array kFlushes{"0", "1"};
constexpr std::array kClocks{"steady", "noisy", "unknown"};
constexpr std::array kContentions{"", "contended"};
constexpr std::array kSharings{"", "shared"};
constexpr std::array kPhases{"", "interleaved", "compared", "studied"};

/// Calls `visit` with each field's name, its value and the names of its values if it has any, in
/// the order of the text.
template <class Fields, class Visit>
void each_field(Fields& fields, const Visit& visit) {
    visit("l2=", fields.cache, kCaches);
    visit("by=", fields.by);
    visit("chain=", fields.chain);
    visit("slices=", fields.slices);
    visit("flush=", fields.flush, kFlushes);
    visit("clocks=", fields.clocks, kClocks);
    visit("cpu=", fields.contended, kContentions);
    visit("device=", fields.shared, kSharings);
    visit("", fields.phase, kPhases);
    visit("tries=", fields.tries);
    visit("rivals=", fields.rivals);
    visit("objective=", fields.objective);
}

std::string text_of(const std::string& value) {
    return value;
}

std::string text_of(std::size_t value) {
    return value > 0 ? std::to_string(value) : "";
}

std::string text_of(const std::optional<std::size_t>& value) {
    return value ? std::to_string(*value) : "";
}

template <class Value, std::size_t count>
std::string text_of(const Value& value, const std::array<const char*, count>& names) {
    return names.at(static_cast<std::size_t>(value));
}

template <class Value, std::size_t count>
std::string text_of(const std::optional<Value>& value,
                    const std::array<const char*, count>& names) {
    return value ? text_of(*value, names) : "";
}

void read(std::string& value, std::string_view text) {
    value = text;
}

/// Of std::size_t or an optional one. Leaves it as it is if the text is no number.
template <class Value>
void read(Value& value, std::string_view text) {
    std::size_t number = 0;
    const char* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, number);
    if (error == std::errc() && end == text_end) {
        value = number;
    }
}

/// Leaves the value as it is if none has the name.
template <class Value, std::size_t count>
void read(Value& value, std::string_view name, const std::array<const char*, count>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
        value = static_cast<Value>(found - names.begin());
    }
}

template <class Value, std::size_t count>
void read(std::optional<Value>& value, std::string_view name,
          const std::array<const char*, count>& names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
        value = static_cast<Value>(found - names.begin());
    }
}

}  // namespace

std::string_view to_string(Clocks clocks) {
    return kClocks.at(static_cast<std::size_t>(clocks));
}

std::string Conditions::text() const {
    std::string text;
    each_field(*this, [&](const char* name, const auto&... value) {
        if (const std::string its = text_of(value...); !its.empty()) {
            text.append(text.empty() ? "" : " ").append(name).append(its);
        }
    });
    return text;
}

Conditions Conditions::parse(std::string_view text) {
    Conditions conditions;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const std::string_view name = word.substr(0, word.find('=') + 1);
        each_field(conditions, [&](std::string_view known, auto& value, const auto&... names) {
            if (known == name && !word.empty()) {
                read(value, word.substr(name.size()), names...);
            }
        });
    }
    return conditions;
}

}  // namespace jitune::internal
