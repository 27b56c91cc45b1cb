// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jitune::internal {

/// "3.21 us": three digits and a unit.
std::string time_text(double nanoseconds);

/// "1:05" for minutes and seconds, "2:01:05" with hours.
std::string clock_text(double seconds);

/// "4402": at least three digits, no decimals from 100 on.
std::string rate_text(double gb_per_s);

/// "98.2 %"
std::string percent_text(double part);

/// "1.25 %": a part of a time, which is known more closely than a share.
std::string noise_text(double part);

/// "1.32x"
std::string ratio_text(double ratio);

/// "2026-11-21": the day of a time in a database.
std::string day_text(std::string_view time);

/// "16 KiB"
std::string bytes_text(std::int64_t bytes);

/// "2^20" for a power of two from 2^10 on, else digits.
std::string size_text(std::int64_t size);

/// "1 problem", "2 problems".
std::string count_text(std::int64_t count, std::string_view noun);

/// The text in one line, safe for a terminal: control characters and runs of spaces become one
/// space, and hidden characters become U+FFFD. Of more than `most` characters the rest is "…".
std::string one_line(std::string_view text, std::size_t most = std::string_view::npos);

/// The columns of a terminal that a line of UTF-8 text takes, one for each character.
std::size_t columns_of(std::string_view text);

/// The text in `columns`, with "…" in place of the end if it is too long.
std::string fitted_begin(std::string_view text, std::size_t columns);

/// The same with "..." in place of the middle: both ends tell something.
std::string fitted_ends(std::string_view text, std::size_t columns);

}  // namespace jitune::internal
