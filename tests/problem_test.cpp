#include "engine/problem.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace jitune {
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

TEST(Problem, SizesEnterAsTheirProduct) {
    EXPECT_EQ(bucket({1 << 10, 1 << 6}), bucket({1 << 16}));
    EXPECT_EQ(bucket({3, 5, 7}), bucket({105}));
}

TEST(Problem, AHugeProductIsTheLastBucket) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(bucket({kMost}), 126);
    EXPECT_EQ(bucket({kMost, 2}), 128);
    EXPECT_EQ(bucket({kMost, kMost}), 128);
    EXPECT_EQ(bucket({kMost, kMost, kMost}), 128);
}

TEST(Problem, TextsListTypesByNameAndSizesAsTheTemplateDoes) {
    const Problem problem{"gemm", {{"operation", "sum"}, {"element", "float32"}}, {1024, 16}, 4};
    EXPECT_EQ(types_text(problem), "element=float32 operation=sum");
    EXPECT_EQ(sizes_text(problem, {"rows", "columns"}), "rows=1024 columns=16");
    EXPECT_EQ(types_text(Problem{}), "");
}

}  // namespace
}  // namespace jitune
