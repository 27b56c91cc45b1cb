// SPDX-License-Identifier: Apache-2.0
#include "measure/conditions.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace jitune::internal {

namespace {

constexpr std::array kCaches{"cold", "warm"};
constexpr std::array kClocks{"steady", "noisy", "unknown"};
constexpr std::string_view kContended = "cpu=contended";
constexpr std::string_view kShared = "device=shared";
constexpr std::string_view kFinals = "interleaved";
constexpr std::string_view kComparison = "compared";
constexpr std::string_view kStudy = "studied";

/// The value whose name is `name`, which is its place among `names`.
template <class Value, std::size_t count>
void read(std::optional<Value>& value, const std::array<const char*, count>& names,
          std::string_view name) {
    for (std::size_t i = 0; i < count; ++i) {
        if (names[i] == name) {
            value = static_cast<Value>(i);
        }
    }
}

void read(std::optional<std::size_t>& value, std::string_view digits) {
    std::size_t number = 0;
    const char* const digits_end = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), digits_end, number);
    if (error == std::errc() && end == digits_end) {
        value = number;
    }
}

void read(std::size_t& value, std::string_view digits) {
    std::optional<std::size_t> number;
    read(number, digits);
    value = number.value_or(value);
}

void read_field(Conditions& conditions, std::string_view name, std::string_view value) {
    if (name == "l2") {
        read(conditions.cache, kCaches, value);
    } else if (name == "by") {
        conditions.by = value;
    } else if (name == "chain") {
        read(conditions.chain, value);
    } else if (name == "slices") {
        read(conditions.slices, value);
    } else if (name == "flush" && (value == "0" || value == "1")) {
        conditions.flush = value == "1";
    } else if (name == "clocks") {
        read(conditions.clocks, kClocks, value);
    } else if (name == "tries") {
        read(conditions.tries, value);
    } else if (name == "rivals") {
        read(conditions.rivals, value);
    } else if (name == "objective") {
        conditions.objective = value;
    }
}

}  // namespace

std::string_view to_string(Clocks clocks) {
    return kClocks.at(static_cast<std::size_t>(clocks));
}

std::string Conditions::text() const {
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
    if (cache) {
        add(fmt::format("l2={}", kCaches.at(static_cast<std::size_t>(*cache))));
    }
    if (!by.empty()) {
        add("by=" + by);
    }
    if (chain) {
        add(fmt::format("chain={}", *chain));
    }
    if (slices) {
        add(fmt::format("slices={}", *slices));
    }
    if (flush) {
        add(fmt::format("flush={:d}", *flush));
    }
    if (clocks) {
        add(fmt::format("clocks={}", to_string(*clocks)));
    }
    if (contended) {
        add(std::string(kContended));
    }
    if (shared) {
        add(std::string(kShared));
    }
    if (phase == Phase::finals) {
        add(std::string(kFinals));
    } else if (phase == Phase::comparison) {
        add(std::string(kComparison));
    } else if (phase == Phase::study) {
        add(std::string(kStudy));
    }
    if (tries > 0) {
        add(fmt::format("tries={}", tries));
    }
    if (rivals) {
        add(fmt::format("rivals={}", *rivals));
    }
    if (!objective.empty()) {
        add("objective=" + objective);
    }
    return text;
}

Conditions Conditions::parse(std::string_view text) {
    Conditions conditions;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (word == kContended) {
            conditions.contended = true;
        } else if (word == kShared) {
            conditions.shared = true;
        } else if (word == kFinals) {
            conditions.phase = Phase::finals;
        } else if (word == kComparison) {
            conditions.phase = Phase::comparison;
        } else if (word == kStudy) {
            conditions.phase = Phase::study;
        } else if (const std::size_t sign = word.find('='); sign != std::string_view::npos) {
            read_field(conditions, word.substr(0, sign), word.substr(sign + 1));
        }
    }
    return conditions;
}

}  // namespace jitune::internal
