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

/// One size, or every size from `first` to `last`.
struct SizeSpan {
    std::int64_t first;
    std::int64_t last;
    bool operator==(const SizeSpan&) const = default;
};

/// Sizes and ranges separated by commas: "1000,2^20+7"; "2^10..2^28" is every size between, and
/// "2^10..2^28*2" only the first size, doubled as often as it stays below the second. In the order
/// given, each once. Throws Error(usage).
std::vector<SizeSpan> parse_sizes(std::string_view text);

/// The same if every size is tried by itself. Throws Error(usage) for a range of every size.
std::vector<std::int64_t> parse_single_sizes(std::string_view text);

/// Rows and columns of a matrix, or the number of segments and their elements in all.
struct SizePair {
    std::int64_t outer;
    std::int64_t inner;
    bool operator==(const SizePair&) const = default;
};

/// "1024x65536" or "2^20x2^6": outer x inner, each a size. Throws Error(usage).
SizePair parse_size_pair(std::string_view text);

/// One pair, or every pair between two.
struct SizePairSpan {
    SizePair first;
    SizePair last;
    bool operator==(const SizePairSpan&) const = default;
};

/// Pairs and ranges of them by comma: "400x640,16x16..2^16x2^16", which is every number of rows
/// with every number of columns. In the order given, each once. Throws Error(usage).
std::vector<SizePairSpan> parse_size_pairs(std::string_view text);

/// "2^20" or "2^10..2^28".
std::string span_text(const std::string& first, const std::string& last);

/// The parts between commas. Throws Error(usage) that names `option` if one is empty.
std::vector<std::string> parse_list(std::string_view option, std::string_view text);

/// Seconds, of "600", "90s", "10m" or "2h". Throws Error(usage) that names `option`.
double parse_duration(std::string_view option, std::string_view text);

/// Throws Error(usage).
std::uint64_t parse_seed(std::string_view text);

/// The radius of a stencil: 1 to Stencil::kMaxRadius. Throws Error(usage).
int parse_radius(std::string_view text);

/// The weights of a stencil: "0.25,0.5,0.25". Throws Error(usage).
std::vector<double> parse_weights(std::string_view text);

}  // namespace jitune::internal
