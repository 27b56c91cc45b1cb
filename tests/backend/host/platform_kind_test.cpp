// SPDX-License-Identifier: Apache-2.0
#include "backend/platform_kind.hpp"

#include <string>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(PlatformKind, IsFoundByItsNameAndRunsOnOneKindOfProcessor) {
    for (const PlatformKind kind : kPlatformKinds) {
        EXPECT_EQ(platform_from(to_string(kind)), kind);
        EXPECT_EQ(int{runs_on_gpu(kind)} + int{runs_on_cpu(kind)} + int{runs_placements(kind)}, 1)
            << to_string(kind);
    }
    EXPECT_EQ(platform_from("cuda:1"), std::nullopt);
}

TEST(PlatformKind, IsKnownOfTheIdsOfDevicesThatHaveNoNumber) {
    EXPECT_TRUE(runs_on_cpu("host"));
    EXPECT_TRUE(runs_placements("machine"));
    for (const std::string device : {"", "cuda", "cuda:0", "auto", "machine:0"}) {
        EXPECT_FALSE(runs_on_cpu(device)) << device;
        EXPECT_FALSE(runs_placements(device)) << device;
    }
}

}  // namespace
}  // namespace jitune::internal
