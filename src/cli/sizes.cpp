// SPDX-License-Identifier: Apache-2.0
#include "cli/sizes.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kSizeForms = "a size is 1000, 2^20 or 2^20+7, from 1 to 2^40";

template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || rest != end) {
        return std::nullopt;
    }
    return value;
}

/// Digits, or digits^digits. Bounded by kMaxSize, so that sums of a few terms cannot overflow.
std::optional<std::int64_t> term(std::string_view text) {
    const auto caret = text.find('^');
    const auto base = number<std::int64_t>(text.substr(0, caret));
    if (!base || *base < 0 || *base > kMaxSize) {
        return std::nullopt;
    }
    if (caret == std::string_view::npos) {
        return base;
    }
    const auto exponent = number<int>(text.substr(caret + 1));
    if (!exponent || *exponent < 0 || *base < 1) {
        return std::nullopt;
    }
    std::int64_t power = 1;
    for (int i = 0; i<*exponent&& * base> 1; ++i) {
        if (power > kMaxSize / *base) {
            return std::nullopt;
        }
        power *= *base;
    }
    return power;
}

std::optional<std::int64_t> sum_of_terms(std::string_view text) {
    std::int64_t sum = 0;
    std::int64_t sign = 1;
    while (true) {
        const auto end = text.find_first_of("+-");
        const auto next = term(text.substr(0, end));
        if (!next || std::abs(sum) > kMaxSize) {
            return std::nullopt;
        }
        sum += sign * *next;
        if (end == std::string_view::npos) {
            return sum;
        }
        sign = text[end] == '+' ? 1 : -1;
        text.remove_prefix(end + 1);
    }
}

void append_once(std::vector<std::int64_t>& sizes, std::int64_t size) {
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
        sizes.push_back(size);
    }
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
    const auto size = sum_of_terms(text);
    if (!size || *size < 1 || *size > kMaxSize) {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a size: {}", text, kSizeForms));
    }
    return *size;
}

std::vector<std::int64_t> parse_sizes(std::string_view text) {
    std::vector<std::int64_t> sizes;
    for (const std::string& item : parse_list("--sizes", text)) {
        const auto dots = item.find("..");
        if (dots == std::string::npos) {
            append_once(sizes, parse_size(item));
            continue;
        }
        const std::int64_t first = parse_size(std::string_view(item).substr(0, dots));
        const std::int64_t last = parse_size(std::string_view(item).substr(dots + 2));
        if (first > last) {
            throw Error(ErrorKind::usage,
                        fmt::format("the range \"{}\" runs downwards: write the smaller size "
                                    "first, as in 2^10..2^28",
                                    item));
        }
        for (std::int64_t size = first; size <= last; size *= 2) {
            append_once(sizes, size);
        }
    }
    return sizes;
}

SizePair parse_size_pair(std::string_view text) {
    const auto cross = text.find('x');
    if (cross == std::string_view::npos) {
        throw Error(
            ErrorKind::usage,
            fmt::format("\"{}\" is not a size of this shape: write two sizes with an x between "
                        "them, as in 1024x65536 or 2^20x2^6",
                        text));
    }
    return {parse_size(text.substr(0, cross)), parse_size(text.substr(cross + 1))};
}

std::string size_text(std::int64_t size) {
    const auto bits = static_cast<std::uint64_t>(size);
    if (size >= 1024 && std::has_single_bit(bits)) {
        return fmt::format("2^{}", std::countr_zero(bits));
    }
    return fmt::format("{}", size);
}

std::vector<std::string> parse_list(std::string_view option, std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const auto comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        if (part.empty()) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} has an empty entry: write a,b,c without spaces", option));
        }
        parts.emplace_back(part);
        if (comma == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(comma + 1);
    }
}

std::uint64_t parse_seed(std::string_view text) {
    const auto seed = number<std::uint64_t>(text);
    if (!seed) {
        throw Error(ErrorKind::usage,
                    fmt::format("--seed \"{}\": expected a whole number from 0 to 2^64-1", text));
    }
    return *seed;
}

}  // namespace jitune::internal
