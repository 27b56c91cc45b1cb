// SPDX-License-Identifier: Apache-2.0
#include "cli/families/sizes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "jitune/stencil.hpp"

namespace jitune::internal {

namespace {

constexpr std::string_view kSizeForms =
    "a size is a whole number from 1 to 2^40, as in 1000, 1e6, 3M (3*10^6), 3Mi (3*2^20), 2^20, "
    "2^20+7 or 2^10.5, which is rounded";

/// Decimal suffixes beside binary ones, as everywhere but in memory sizes of old.
constexpr std::array<std::pair<std::string_view, double>, 8> kSuffixes{{{"k", 1e3},
                                                                        {"M", 1e6},
                                                                        {"G", 1e9},
                                                                        {"T", 1e12},
                                                                        {"Ki", 0x1p10},
                                                                        {"Mi", 0x1p20},
                                                                        {"Gi", 0x1p30},
                                                                        {"Ti", 0x1p40}}};

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

/// "1000", "1.5" or "1e6": no sign, no name.
std::optional<double> decimal(std::string_view text) {
    const bool plain = text.find_first_not_of("0123456789.e") == std::string_view::npos;
    return plain ? number<double>(text) : std::nullopt;
}

/// A number with or without a suffix.
std::optional<double> multiple(std::string_view text) {
    for (const auto& [suffix, factor] : kSuffixes) {
        if (text.ends_with(suffix)) {
            const auto value = decimal(text.substr(0, text.size() - suffix.size()));
            return value ? std::optional(*value * factor) : std::nullopt;
        }
    }
    return decimal(text);
}

/// A power rounded to the nearest whole number.
std::optional<double> power(std::string_view base_text, std::string_view exponent_text) {
    const auto base = decimal(base_text);
    const auto exponent = decimal(exponent_text);
    if (!base || !exponent || *base < 1) {
        return std::nullopt;
    }
    return std::round(std::pow(*base, *exponent));
}

/// A multiple or a power. Bounded by kMaxSize, so that it is exact and sums of a few terms cannot
/// overflow.
std::optional<std::int64_t> term(std::string_view text) {
    const auto caret = text.find('^');
    const auto value = caret == std::string_view::npos
                           ? multiple(text)
                           : power(text.substr(0, caret), text.substr(caret + 1));
    if (!value || !(*value <= static_cast<double>(kMaxSize)) || *value != std::floor(*value)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*value);
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

template <class T>
void append_once(std::vector<T>& list, const T& one) {
    if (std::find(list.begin(), list.end(), one) == list.end()) {
        list.push_back(one);
    }
}

[[noreturn]] void refuse_downwards(std::string_view item) {
    throw Error(ErrorKind::usage,
                fmt::format("the range \"{}\" runs downwards: write the smaller size first, as in "
                            "2^10..2^28",
                            item));
}

/// Both parts of "A..B"; the second is empty if there is one part.
std::pair<std::string_view, std::string_view> ends_of(std::string_view item) {
    const auto dots = item.find("..");
    if (dots == std::string_view::npos) {
        return {item, {}};
    }
    const std::string_view first = item.substr(0, dots);
    const std::string_view last = item.substr(dots + 2);
    if (first.empty() || last.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("the range \"{}\" has no {}: write it as in 2^10..2^28", item,
                                first.empty() ? "first size" : "end"));
    }
    return {first, last};
}

}  // namespace

std::int64_t parse_size(std::string_view text) {
    if (text.find("..") != std::string_view::npos) {
        throw Error(ErrorKind::usage,
                    fmt::format("\"{}\" is a range: name one size, as in 2^20; jitune sweep takes "
                                "ranges",
                                text));
    }
    const auto size = sum_of_terms(text);
    if (!size || *size < 1 || *size > kMaxSize) {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a size: {}", text, kSizeForms));
    }
    return *size;
}

std::vector<SizeSpan> parse_sizes(std::string_view text) {
    constexpr std::string_view kDoubling = "*2";
    std::vector<SizeSpan> sizes;
    for (const std::string& item : parse_list("--sizes", text)) {
        auto [low, high] = ends_of(item);
        const bool doubles = high.ends_with(kDoubling);
        high.remove_suffix(doubles ? kDoubling.size() : 0);
        if (item.find('x') != std::string::npos) {
            throw Error(ErrorKind::usage,
                        fmt::format("\"{}\" is a pair of sizes, but this shape has one size; of a "
                                    "reduction, --shape rows, columns and segments have pairs",
                                    item));
        }
        if (!doubles && high.find('*') != std::string_view::npos) {
            throw Error(
                ErrorKind::usage,
                fmt::format("\"{}\": the only step of a range is *2, as in 2^10..2^20*2", item));
        }
        const std::int64_t first = parse_size(low);
        const std::int64_t last = high.empty() && !doubles ? first : parse_size(high);
        if (first > last) {
            refuse_downwards(item);
        }
        for (std::int64_t size = first; doubles && size <= last; size *= 2) {
            append_once(sizes, SizeSpan{size, size});
        }
        if (!doubles) {
            append_once(sizes, SizeSpan{first, last});
        }
    }
    return sizes;
}

std::vector<std::int64_t> parse_single_sizes(std::string_view text) {
    std::vector<std::int64_t> sizes;
    for (const SizeSpan& span : parse_sizes(text)) {
        if (span.first != span.last) {
            throw Error(ErrorKind::usage,
                        fmt::format("\"{}\": every size of a range cannot be tried here: list "
                                    "single sizes, or double the first as in 2^10..2^20*2",
                                    text));
        }
        sizes.push_back(span.first);
    }
    return sizes;
}

SizePair parse_size_pair(std::string_view text) {
    const auto cross = text.find('x');
    if (cross == std::string_view::npos || text.find('x', cross + 1) != std::string_view::npos ||
        cross == 0 || cross + 1 == text.size()) {
        throw Error(
            ErrorKind::usage,
            fmt::format("\"{}\" is not a size of this shape: write two sizes with an x between "
                        "them, as in 1024x65536 or 2^20x2^6",
                        text));
    }
    return {parse_size(text.substr(0, cross)), parse_size(text.substr(cross + 1))};
}

std::vector<SizePairSpan> parse_size_pairs(std::string_view text) {
    std::vector<SizePairSpan> pairs;
    for (const std::string& item : parse_list("--sizes", text)) {
        const auto [low, high] = ends_of(item);
        if (high.find('*') != std::string_view::npos) {
            throw Error(ErrorKind::usage,
                        fmt::format("\"{}\": a range of pairs cannot double: list the pairs, or "
                                    "leave out what follows the *",
                                    item));
        }
        const SizePair first = parse_size_pair(low);
        const SizePair last = high.empty() ? first : parse_size_pair(high);
        if (first.outer > last.outer || first.inner > last.inner) {
            refuse_downwards(item);
        }
        append_once(pairs, SizePairSpan{first, last});
    }
    return pairs;
}

std::string span_text(const std::string& first, const std::string& last) {
    return first == last ? first : first + ".." + last;
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

double parse_duration(std::string_view option, std::string_view text) {
    double unit = 1;
    std::string_view figures = text;
    for (const auto& [suffix, seconds] : {std::pair{'s', 1}, {'m', 60}, {'h', 3600}}) {
        if (text.ends_with(suffix)) {
            unit = seconds;
            figures.remove_suffix(1);
            break;
        }
    }
    const auto value = number<double>(figures);
    if (!value || !std::isfinite(*value) || *value <= 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} \"{}\": expected a time above 0, as in 600, 90s, 10m or 2h",
                                option, text));
    }
    return *value * unit;
}

std::uint64_t parse_seed(std::string_view text) {
    const auto seed = number<std::uint64_t>(text);
    if (!seed) {
        throw Error(ErrorKind::usage,
                    fmt::format("--seed \"{}\": expected a whole number from 0 to 2^64-1", text));
    }
    return *seed;
}

int parse_radius(std::string_view text) {
    const auto radius = number<int>(text);
    if (!radius) {
        throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a radius", text));
    }
    if (*radius < 1 || *radius > Stencil::kMaxRadius) {
        throw Error(ErrorKind::usage,
                    fmt::format("radius {}: must be from 1 to {}", *radius, Stencil::kMaxRadius));
    }
    return *radius;
}

std::vector<double> parse_weights(std::string_view text) {
    std::vector<double> weights;
    for (const std::string& word : parse_list("--weights", text)) {
        const auto weight = number<double>(word);
        if (!weight) {
            throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a weight", word));
        }
        weights.push_back(*weight);
    }
    return weights;
}

}  // namespace jitune::internal
