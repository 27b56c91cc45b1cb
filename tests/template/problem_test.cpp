// SPDX-License-Identifier: Apache-2.0
#include "template/problem.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "sizes/bucket.hpp"

namespace jitune::internal {
namespace {

std::int64_t bucket(std::vector<std::int64_t> sizes) {
    return size_bucket(sizes);
}

TEST(Problem, APowerOfTwoIsAnEvenBucket) {
    for (int k = 0; k < 63; ++k) {
        EXPECT_EQ(bucket({std::int64_t{1} << k}), 2 * k) << "2^" << k;
    }
}

TEST(Problem, BucketsEndAtQuarterOctaves) {
    for (int k = 3; k < 45; ++k) {
        for (const auto& [quarter, below] : {std::pair{0.25, 2 * k}, std::pair{0.75, 2 * k + 1}}) {
            const auto last = static_cast<std::int64_t>(std::exp2(k + quarter));
            EXPECT_EQ(bucket({last}), below) << last;
            EXPECT_EQ(bucket({last + 1}), below + 1) << last + 1;
        }
    }
}

TEST(Problem, BucketsNeverFallAsSizesGrow) {
    std::int64_t previous = bucket({1});
    for (std::int64_t n = 2; n < 100'000; ++n) {
        const std::int64_t next = bucket({n});
        EXPECT_TRUE(next == previous || next == previous + 1 || n < 4) << n;
        previous = next;
    }
}

/// The half-octaves in a bucket, size by size.
std::vector<std::int64_t> parts(std::int64_t bucket) {
    std::vector<std::int64_t> parts;
    for (std::size_t size = 0; size < kBucketSizes; ++size) {
        parts.push_back(half_octaves(bucket, size));
    }
    return parts;
}

TEST(Problem, ABucketTellsEachSize) {
    EXPECT_EQ(parts(bucket({1 << 10, 1 << 16})), (std::vector<std::int64_t>{20, 32, 0, 0}));
    EXPECT_EQ(parts(bucket({1 << 16, 1 << 10})), (std::vector<std::int64_t>{32, 20, 0, 0}));
    EXPECT_EQ(parts(bucket({3, 5, 7, 1000})), (std::vector<std::int64_t>{3, 5, 6, 20}));
    EXPECT_EQ(bucket({1, 1}), 0);
}

TEST(Problem, SizesFromTheFourthOnEnterAsTheirProduct) {
    EXPECT_EQ(bucket({2, 4, 8, 3, 5, 7}), bucket({2, 4, 8, 105}));
    EXPECT_NE(bucket({2, 4, 8, 16, 2}), bucket({2, 4, 8, 16}));
}

TEST(Problem, AHugeSizeIsTheLastBucketAndStaysInItsByte) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(bucket({kMost}), 126);
    EXPECT_EQ(parts(bucket({kMost, kMost, kMost, kMost, kMost})),
              (std::vector<std::int64_t>{126, 126, 126, 128}));
}

TEST(Problem, TheBoxOfABucketHoldsAllItsSizesAndNoOther) {
    for (const std::int64_t n : {1, 2, 3, 7, 1000, 4518, 1 << 20, (1 << 30) + 12345}) {
        const SizeBox box = bucket_box(std::array{n});
        EXPECT_TRUE(box.contains(std::array{n})) << n;
        EXPECT_EQ(bucket({box.from[0]}), bucket({n})) << n;
        EXPECT_EQ(bucket({box.to[0]}), bucket({n})) << n;
        EXPECT_TRUE(n == 1 || bucket({box.from[0] - 1}) < bucket({n})) << n;
        EXPECT_GT(bucket({box.to[0] + 1}), bucket({n})) << n;
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(bucket_box(std::array{kMost}).to[0], kMost);
    const SizeBox box = bucket_box(std::array<std::int64_t, 5>{8, 1000, 3, 50, 60});
    EXPECT_EQ(box.from, (Sizes{7, 862, 3, 50, 60}));
    EXPECT_EQ(box.to, (Sizes{9, 1217, 3, 50, 60}));
}

TEST(Problem, TextsListTypesByNameAndSizesAsTheTemplateDoes) {
    const Problem problem{
        "gemm", {{"operation", "sum"}, {"element", "float32"}}, {1024, 16}, 4, ""};
    EXPECT_EQ(types_text(problem), "element=float32 operation=sum");
    EXPECT_EQ(sizes_text(problem, {"rows", "columns"}), "rows=1024 columns=16");
    EXPECT_EQ(types_text(Problem{}), "");
    EXPECT_EQ(types_text({"own", {{"formula", "sum(x * y)"}, {"shape", "flat"}}, {}}),
              "formula=\"sum(x * y)\" shape=flat");
}

TEST(ReadableTypes, BeginWithElementAndOperation) {
    EXPECT_EQ(readable_types("accumulator=float32 determinism=any element=int8 operation=sum "
                             "result=float64"),
              "element=int8 operation=sum accumulator=float32 result=float64 determinism=any");
    EXPECT_EQ(readable_types("boundary=valid element=float32 radius=1 weighting=sum"),
              "element=float32 boundary=valid radius=1 weighting=sum");
    EXPECT_EQ(readable_types("element=float32 formula=\"m = max(x); s = sum(x - m)\" shape=rows"),
              "formula=\"m = max(x); s = sum(x - m)\" element=float32 shape=rows");
    EXPECT_EQ(readable_types(""), "");
}

}  // namespace
}  // namespace jitune::internal
