// SPDX-License-Identifier: Apache-2.0
#include "families/reduce/segment_offsets.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Lengths = std::vector<std::int64_t>;

Lengths lengths(std::int64_t segments, std::int64_t n, Raggedness raggedness) {
    std::mt19937_64 random(1);
    const auto offsets = segment_offsets(segments, n, raggedness, random);
    EXPECT_EQ(offsets.size(), static_cast<std::size_t>(segments) + 1);
    EXPECT_EQ(offsets.front(), 0);
    EXPECT_EQ(offsets.back(), n);
    Lengths result;
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        result.push_back(offsets[i + 1] - offsets[i]);
    }
    return result;
}

constexpr Raggedness kAll[] = {Raggedness::even, Raggedness::mostly_empty, Raggedness::one_huge,
                               Raggedness::last_only, Raggedness::mixed};

TEST(SegmentOffsets, CoverAllElementsWithoutDecreasing) {
    for (const Raggedness raggedness : kAll) {
        for (const std::int64_t segments : {1, 2, 17, 1000}) {
            for (const std::int64_t n : {0, 1, 5, 1000, 123'457}) {
                for (const std::int64_t length : lengths(segments, n, raggedness)) {
                    ASSERT_GE(length, 0);
                }
            }
        }
    }
}

TEST(SegmentOffsets, AreRaggedAroundTheMeanWithSomeEmptySegments) {
    const Lengths all = lengths(10'000, 1'000'000, Raggedness::even);
    const auto empty = std::count(all.begin(), all.end(), 0);
    EXPECT_GT(empty, 300);
    EXPECT_LT(empty, 1500);
    EXPECT_LT(*std::max_element(all.begin(), all.end()), 500);
}

TEST(SegmentOffsets, CanBeMostlyEmpty) {
    const Lengths all = lengths(10'000, 1'000'000, Raggedness::mostly_empty);
    EXPECT_GT(std::count(all.begin(), all.end(), 0), 9000);
    EXPECT_LT(*std::max_element(all.begin(), all.end()), 20'000);
}

TEST(SegmentOffsets, CanHaveOneHugeSegmentAmongTinyOnes) {
    const Lengths all = lengths(1000, 100'000, Raggedness::one_huge);
    EXPECT_GT(all[500], 90'000);
    EXPECT_GT(std::count_if(all.begin(), all.end(), [](auto n) { return n <= 3; }), 990);
}

TEST(SegmentOffsets, CanGiveEverythingToTheLast) {
    const Lengths all = lengths(100, 1000, Raggedness::last_only);
    EXPECT_EQ(all.back(), 1000);
    EXPECT_EQ(std::count(all.begin(), all.end(), 0), 99);
}

TEST(SegmentOffsets, CanMixSegmentsOfTheMeanLengthWithMostlyShortAndFewVeryLongOnes) {
    const Lengths all = lengths(10'000, 1'000'000, Raggedness::mixed);
    std::int64_t even = 0;
    std::int64_t longest_even = 0;
    Lengths odd;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % 2 == 1) {
            odd.push_back(all[i]);
            continue;
        }
        even += all[i];
        longest_even = std::max(longest_even, all[i]);
    }
    EXPECT_NEAR(static_cast<double>(even), 500'000, 10'000);
    EXPECT_LT(longest_even, 250);
    std::sort(odd.begin(), odd.end());
    EXPECT_LT(odd[odd.size() / 2], 50);
    EXPECT_GT(odd.back(), 5'000);
}

}  // namespace
}  // namespace jitune::internal
