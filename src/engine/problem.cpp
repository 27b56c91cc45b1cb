#include "engine/problem.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/format.h>

namespace jitune {

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

}  // namespace

std::int64_t size_bucket(std::span<const std::int64_t> sizes) {
    const std::uint64_t elements = std::max<std::uint64_t>(product(sizes), 1);
    const int octave = static_cast<int>(std::bit_width(elements)) - 1;
    const std::uint64_t mantissa = elements << (63 - octave);
    if (mantissa < kQuarter) {
        return 2 * octave;
    }
    return mantissa < kThreeQuarters ? 2 * octave + 1 : 2 * octave + 2;
}

std::string types_text(const Problem& problem) {
    std::string text;
    for (const auto& [parameter, name] : problem.types) {
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter, name);
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

}  // namespace jitune
