// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/segment_offsets.hpp"

#include <algorithm>

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
            break;
    }
    return 0;
}

}  // namespace

std::vector<std::int64_t> segment_offsets(std::int64_t segments, std::int64_t n,
                                          Raggedness raggedness, std::mt19937_64& random) {
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
