// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// The largest number of elements that the command line takes.
inline constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

/// One size: a sum or difference of numbers and powers, "1000", "1e6", "2^20", "2^20+7". Suffixes
/// k, M, G, T are decimal; Ki, Mi, Gi, Ti are binary. A power is rounded: "2^10.5" is 1448. Throws
/// Error(usage) unless 1 <= size <= kMaxSize and it is a whole number.
std::int64_t parse_size(std::string_view text);

/// Sizes and ranges separated by commas: "1000,2^20+7" or "2^10..2^28", which doubles from its
/// first size and stops at its second. In the order given, each size once. Throws Error(usage).
std::vector<std::int64_t> parse_sizes(std::string_view text);

/// Rows and columns of a matrix, or the number of segments and their elements in all.
struct SizePair {
    std::int64_t outer;
    std::int64_t inner;
    bool operator==(const SizePair&) const = default;
};

/// "1024x65536" or "2^20x2^6": outer x inner, each a size. Throws Error(usage).
SizePair parse_size_pair(std::string_view text);

/// "2^20" for a power of two from 2^10 on, else digits.
std::string size_text(std::int64_t size);

/// The parts between commas. Throws Error(usage) that names `option` where one is empty.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

/// Throws Error(usage).
std::uint64_t parse_seed(std::string_view text);

}  // namespace jitune::internal
