// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/segment_offsets.hpp"

#include <algorithm>
#include <array>

namespace jitune::internal {

namespace {

/// Uniform in [0, most].
std::int64_t up_to(std::int64_t most, std::mt19937_64& random) {
    return static_cast<std::int64_t>(random() % (static_cast<std::uint64_t>(most) + 1));
}

std::int64_t length_of(std::int64_t segment, std::int64_t segments, std::int64_t remaining,
                       Raggedness raggedness, std::mt19937_64& random) {
    constexpr std::int64_t kGroup = 16;
    constexpr std::int64_t kTiny = 3;
    const std::int64_t left = segments - segment;
    switch (raggedness) {
        case Raggedness::even:
            return up_to(kGroup - 1, random) == 0 ? 0 : up_to(2 * remaining / left, random);
        case Raggedness::mostly_empty:
            return segment % kGroup != 0 ? 0 : up_to(2 * kGroup * remaining / left, random);
        case Raggedness::one_huge:
            return segment == segments / 2 ? remaining - kTiny * left : up_to(kTiny, random);
        case Raggedness::last_only:
        case Raggedness::mixed:
            break;
    }
    return 0;
}

/// Draws relative lengths of segments for Raggedness::mixed.
class MixedLengths {
public:
    explicit MixedLengths(const std::mt19937_64& random) : random_(random) {}

    /// Uniform up to 2 for every other segment; for the others a Pareto distribution of exponent 1.
    double next(std::int64_t segment) {
        constexpr double kLeast = 1e-6;
        const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;
        return segment % 2 == 0 ? 2 * uniform : 1 / std::max(uniform, kLeast);
    }

private:
    std::mt19937_64 random_;
};

/// The sum of even segments is the first, that of odd ones the second.
double& sum_of(std::array<double, 2>& sums, std::int64_t segment) {
    return segment % 2 == 0 ? sums[0] : sums[1];
}

std::vector<std::int64_t> mixed_offsets(std::int64_t segments, std::int64_t n,
                                        const std::mt19937_64& random) {
    // The lengths are drawn twice, because to keep millions of them would take memory.
    std::array<double, 2> sums{};
    MixedLengths drawn(random);
    for (std::int64_t segment = 0; segment < segments; ++segment) {
        sum_of(sums, segment) += drawn.next(segment);
    }
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(static_cast<std::size_t>(segments) + 1);
    MixedLengths again(random);
    double end = 0;
    for (std::int64_t segment = 0; segment + 1 < segments; ++segment) {
        end += again.next(segment) / sum_of(sums, segment) * static_cast<double>(n) / 2;
        offsets.push_back(std::min(n, static_cast<std::int64_t>(end)));
    }
    offsets.push_back(n);
    return offsets;
}

}  // namespace

std::vector<std::int64_t> segment_offsets(std::int64_t segments, std::int64_t n,
                                          Raggedness raggedness, std::mt19937_64& random) {
    if (raggedness == Raggedness::mixed) {
        return mixed_offsets(segments, n, random);
    }
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(static_cast<std::size_t>(segments) + 1);
    for (std::int64_t segment = 0; segment + 1 < segments; ++segment) {
        const std::int64_t remaining = n - offsets.back();
        const std::int64_t length = length_of(segment, segments, remaining, raggedness, random);
        offsets.push_back(offsets.back() + std::clamp<std::int64_t>(length, 0, remaining));
    }
    offsets.push_back(n);
    return offsets;
}

}  // namespace jitune::internal
