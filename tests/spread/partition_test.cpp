// SPDX-License-Identifier: Apache-2.0
#include "spread/partition.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(Partition, PartsFollowEachOtherAndAreEven) {
    for (const std::int64_t count : {1, 2, 7, 16, 97, 1000}) {
        for (const std::int64_t parts : {1, 2, 3, 4, 8}) {
            const auto result = partition(count, parts, 2);
            ASSERT_EQ(static_cast<std::int64_t>(result.size()), std::min(parts, count));
            std::int64_t at = 0;
            for (const Part& part : result) {
                EXPECT_EQ(part.begin, at);
                at = part.end;
                EXPECT_LE(part.end - part.begin, count / std::min(parts, count) + 1);
                EXPECT_GE(part.end - part.begin, count / std::min(parts, count));
            }
            EXPECT_EQ(at, count);
        }
    }
}

TEST(Partition, HalosEndWithTheRows) {
    const std::vector<Part> expected{{0, 4, 0, 7}, {4, 7, 1, 10}, {7, 10, 4, 10}};
    EXPECT_EQ(partition(10, 3, 3), expected);
}

TEST(Partition, NoRowsHaveNoParts) {
    EXPECT_TRUE(partition(0, 4, 1).empty());
}

}  // namespace
}  // namespace jitune::internal
