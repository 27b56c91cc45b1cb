// SPDX-License-Identifier: Apache-2.0
#include "template/problem.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "sizes/bucket.hpp"
#include "support/settings.hpp"

namespace jitune::internal {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
// Mantissas, as 64-bit fractions with the top bit set, at which log2 is a quarter and three
// quarters past an integer.
constexpr auto kQuarter = static_cast<std::uint64_t>(kTwoTo63 * 1.189207115002721067);
constexpr auto kThreeQuarters = static_cast<std::uint64_t>(kTwoTo63 * 1.681792830507429086);

std::uint64_t product(std::span<const std::int64_t> sizes) {
    std::uint64_t result = 1;
    for (const std::int64_t size : sizes) {
        if (__builtin_mul_overflow(result, static_cast<std::uint64_t>(size), &result)) {
            return std::numeric_limits<std::uint64_t>::max();
        }
    }
    return result;
}

/// round(2 log2(size)), and 0 for no size at all. On the path of every call, so without branches.
std::int64_t half_octaves_of(std::uint64_t size) {
    const int zeros = std::countl_zero(size | 1);
    const std::uint64_t mantissa = size << zeros;
    return 2 * (63 - zeros) + (mantissa >= kQuarter ? 1 : 0) + (mantissa >= kThreeQuarters ? 1 : 0);
}

/// Returns the largest size with fewer half-octaves than `half_octaves`; 0 if no size has fewer.
std::int64_t last_below(std::int64_t half_octaves) {
    std::int64_t below = 0;
    for (int bit = 62; bit >= 0; --bit) {
        const std::int64_t larger = below | std::int64_t{1} << bit;
        if (half_octaves_of(static_cast<std::uint64_t>(larger)) < half_octaves) {
            below = larger;
        }
    }
    return below;
}

}  // namespace

SizeBox bucket_box(std::span<const std::int64_t> sizes) {
    SizeBox box = SizeBox::point(sizes);
    for (std::size_t i = 0; i < std::min(sizes.size(), kBucketSizes - 1); ++i) {
        const std::int64_t half_octaves = half_octaves_of(static_cast<std::uint64_t>(sizes[i]));
        box.from[i] = last_below(half_octaves) + 1;
        box.to[i] = last_below(half_octaves + 1);
    }
    return box;
}

std::int64_t size_bucket(std::span<const std::int64_t> sizes) {
    constexpr std::size_t kLast = kBucketSizes - 1;
    std::int64_t bucket = 0;
    for (std::size_t i = 0; i < std::min(sizes.size(), kLast); ++i) {
        bucket |= half_octaves_of(static_cast<std::uint64_t>(sizes[i])) << (i * kBucketBits);
    }
    if (sizes.size() > kLast) {
        bucket |= half_octaves_of(product(sizes.subspan(kLast))) << (kLast * kBucketBits);
    }
    return bucket;
}

int number_type(const Problem& problem, const std::string& parameter) {
    const auto found = problem.types.find(parameter);
    int value = 0;
    if (found != problem.types.end()) {
        const std::string& text = found->second;
        const char* const end = text.data() + text.size();
        if (const auto [rest, error] = std::from_chars(text.data(), end, value);
            error == std::errc() && rest == end) {
            return value;
        }
    }
    throw Error(ErrorKind::usage, fmt::format("{}: \"{}\" must be a whole number in {}",
                                              problem.kernel, parameter, types_text(problem)));
}

std::string types_text(const Problem& problem) {
    std::string text;
    for (const auto& [parameter, name] : problem.types) {
        text += (text.empty() ? "" : " ") + setting_text(parameter, name);
    }
    return text;
}

std::string sizes_text(const Problem& problem, const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", names[i], problem.sizes.at(i));
    }
    return text;
}

std::string readable_types(std::string_view types) {
    constexpr std::array<std::string_view, 7> kOrder{
        "formula", "element", "operation", "accumulator", "result", "", "determinism"};
    const auto place = [&](std::string_view setting) {
        const auto found =
            std::find(kOrder.begin(), kOrder.end(), setting.substr(0, setting.find('=')));
        return found == kOrder.end() ? std::find(kOrder.begin(), kOrder.end(), "") : found;
    };
    std::vector<std::string_view> settings = settings_of(types);
    std::stable_sort(settings.begin(), settings.end(),
                     [&](auto left, auto right) { return place(left) < place(right); });
    return fmt::format("{}", fmt::join(settings, " "));
}

}  // namespace jitune::internal
