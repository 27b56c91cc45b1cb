// SPDX-License-Identifier: Apache-2.0
#include "text/units.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "support/utf8.hpp"

namespace jitune::internal {

namespace {

/// Three digits, however large the number is.
std::string three_digits(double value) {
    const double size = std::abs(value);
    const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f}", value, decimals);
}

bool begins_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// Where the character of that number begins; the end of the text where it has fewer.
std::size_t place_of(std::string_view text, std::size_t character) {
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (begins_character(text[at]) && character-- == 0) {
            return at;
        }
    }
    return at;
}

}  // namespace

std::string time_text(double nanoseconds) {
    constexpr std::array<std::string_view, 4> kUnits{"ns", "us", "ms", "s"};
    std::size_t unit = 0;
    while (std::abs(nanoseconds) >= 999.5 && unit + 1 < kUnits.size()) {
        nanoseconds /= 1000;
        ++unit;
    }
    return fmt::format("{} {}", three_digits(nanoseconds), kUnits[unit]);
}

std::string clock_text(double seconds) {
    const auto total = std::llround(seconds);
    const auto hours = total / 3600;
    const auto minutes = total / 60 % 60;
    if (hours > 0) {
        return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
    }
    return fmt::format("{}:{:02}", minutes, total % 60);
}

std::string rate_text(double gb_per_s) {
    return three_digits(gb_per_s);
}

std::string percent_text(double part) {
    return fmt::format("{:.1f} %", 100 * part);
}

std::string noise_text(double part) {
    return fmt::format("{:.2f} %", 100 * part);
}

std::string ratio_text(double ratio) {
    return fmt::format("{:.2f}x", ratio);
}

std::string day_text(std::string_view time) {
    return one_line(time.substr(0, time.find('T')));
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array<std::string_view, 4> kUnits{"bytes", "KiB", "MiB", "GiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < kUnits.size()) {
        value /= 1024;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} bytes", bytes)
                     : fmt::format("{} {}", three_digits(value), kUnits[unit]);
}

std::string size_text(std::int64_t size) {
    const auto bits = static_cast<std::uint64_t>(size);
    if (size >= 1024 && std::has_single_bit(bits)) {
        return fmt::format("2^{}", std::countr_zero(bits));
    }
    return fmt::format("{}", size);
}

std::string count_text(std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string one_line(std::string_view text, std::size_t most) {
    std::string line;
    std::size_t shown = 0;
    while (!text.empty()) {
        const Character character = take_character(text);
        if (!character.is_space) {
            if (shown++ == most) {
                line += kEllipsis;
                break;
            }
            line += character.is_hidden ? kReplacement : character.bytes;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string fitted_begin(std::string_view text, std::size_t columns) {
    const std::size_t end = place_of(text, columns);
    if (end == text.size() || columns == 0) {
        return std::string(text.substr(0, end));
    }
    return std::string(text.substr(0, place_of(text, columns - 1))) + "…";
}

std::string fitted_ends(std::string_view text, std::size_t columns) {
    constexpr std::string_view kLeftOut = "...";
    const std::size_t length = columns_of(text);
    if (length <= columns) {
        return std::string(text);
    }
    if (columns <= 2 * kLeftOut.size()) {
        return std::string(text.substr(0, place_of(text, columns)));
    }
    const std::size_t end = (columns - kLeftOut.size()) / 2;
    const std::size_t begin = columns - kLeftOut.size() - end;
    return fmt::format("{}{}{}", text.substr(0, place_of(text, begin)), kLeftOut,
                       text.substr(place_of(text, length - end)));
}

}  // namespace jitune::internal
