// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "reduce_compare/selection.hpp"

namespace jitune::bench {

namespace {

/// CUB is called with 32-bit counts.
constexpr std::size_t kMostElements = std::size_t{1} << 31;

std::optional<std::size_t> number(std::string_view text) {
    std::size_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

/// "1000", "2^20".
std::optional<std::size_t> term(std::string_view text) {
    if (!text.starts_with("2^")) {
        return number(text);
    }
    const auto exponent = number(text.substr(2));
    return exponent && *exponent <= 31 ? std::optional(std::size_t{1} << *exponent) : std::nullopt;
}

std::size_t size_of(std::string_view text) {
    const auto plus = text.find('+');
    const auto base = term(text.substr(0, plus));
    const auto more = plus == std::string_view::npos ? std::optional<std::size_t>(0)
                                                     : term(text.substr(plus + 1));
    if (!base || !more || *base + *more < 1 || *base + *more > kMostElements) {
        throw Error(ErrorKind::usage,
                    fmt::format("--sizes: \"{}\" is no size: write 1000, 2^20, 2^20+7 or "
                                "2^10..2^30, from 1 to 2^31",
                                text));
    }
    return *base + *more;
}

}  // namespace

std::vector<std::size_t> parse_sizes(std::string_view text, int step) {
    std::vector<std::size_t> sizes;
    while (!text.empty()) {
        const auto comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        const auto dots = item.find("..");
        const std::size_t first = size_of(item.substr(0, dots));
        const std::size_t last =
            dots == std::string_view::npos ? first : size_of(item.substr(dots + 2));
        for (std::size_t size = first; size <= last; size <<= step) {
            sizes.push_back(size);
        }
        text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    }
    return sizes;
}

}  // namespace jitune::bench
