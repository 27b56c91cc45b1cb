// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/reduce_layout.hpp"

#include <algorithm>
#include <array>

#include "families/reduce/segment_offsets.hpp"

namespace jitune::internal {

std::string_view unit_of(ReduceKind kind) {
    constexpr std::array<std::string_view, 4> kUnits{"", "row", "column", "segment"};
    return kUnits.at(static_cast<std::size_t>(kind));
}

ElementRun ReduceLayout::run(std::size_t result) const {
    const auto outer = static_cast<std::size_t>(shape.outer);
    const auto inner = static_cast<std::size_t>(shape.inner);
    switch (shape.kind) {
        case ReduceKind::columns:
            return {result, inner, outer};
        case ReduceKind::segments:
            return {static_cast<std::size_t>(offsets[result]), 1,
                    static_cast<std::size_t>(offsets[result + 1] - offsets[result])};
        default:
            return {result * inner, 1, inner};
    }
}

std::size_t ReduceLayout::longest() const {
    if (shape.kind != ReduceKind::segments) {
        return run(0).count;
    }
    std::size_t most = 0;
    for (std::size_t result = 0; result < results(); ++result) {
        most = std::max(most, run(result).count);
    }
    return most;
}

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

/// Every other segment has a length of up to twice the mean; those of the others have a Pareto
/// distribution of exponent 1.
std::vector<std::int64_t> mixed_offsets(std::int64_t segments, std::int64_t n,
                                        std::mt19937_64 random) {
    constexpr double kLeast = 1e-6;
    std::vector<double> lengths(static_cast<std::size_t>(segments));  // in units of their own
    std::array<double, 2> sums{};                                     // of even and odd segments
    for (std::size_t segment = 0; segment < lengths.size(); ++segment) {
        const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
        lengths[segment] = segment % 2 == 0 ? 2 * uniform : 1 / std::max(uniform, kLeast);
        sums.at(segment % 2) += lengths[segment];
    }
    std::vector<std::int64_t> offsets{0};
    offsets.reserve(lengths.size() + 1);
    double end = 0;
    for (std::size_t segment = 0; segment + 1 < lengths.size(); ++segment) {
        end += lengths[segment] / sums.at(segment % 2) * static_cast<double>(n) / 2;
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
