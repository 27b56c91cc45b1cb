// SPDX-License-Identifier: Apache-2.0
#include "template/settings.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(ReadableTypes, BeginWithElementAndOperation) {
    EXPECT_EQ(readable_types("accumulator=float32 determinism=any element=int8 operation=sum "
                             "result=float64"),
              "element=int8 operation=sum accumulator=float32 result=float64 determinism=any");
    EXPECT_EQ(readable_types("boundary=valid element=float32 radius=1 weighting=sum"),
              "element=float32 boundary=valid radius=1 weighting=sum");
    EXPECT_EQ(readable_types(""), "");
}

TEST(Settings, AreFoundByTheirWholeName) {
    constexpr std::string_view kText = "block=256 block_size=8 odd finish=";
    EXPECT_EQ(setting_of(kText, "block"), "256");
    EXPECT_EQ(setting_of(kText, "block_size"), "8");
    EXPECT_EQ(setting_of(kText, "size"), "");
    EXPECT_EQ(setting_of(kText, "odd"), "");
    EXPECT_EQ(setting_of(kText, "finish"), "");
}

}  // namespace
}  // namespace jitune::internal
