// SPDX-License-Identifier: Apache-2.0
#include "support/settings.hpp"

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

using Settings = std::vector<std::string_view>;

TEST(Settings, AreFoundByTheirWholeName) {
    constexpr std::string_view kText = "block=256 block_size=8 odd finish=";
    EXPECT_EQ(setting_of(kText, "block"), "256");
    EXPECT_EQ(setting_of(kText, "block_size"), "8");
    EXPECT_EQ(setting_of(kText, "size"), "");
    EXPECT_EQ(setting_of(kText, "odd"), "");
    EXPECT_EQ(setting_of(kText, "finish"), "");
}

TEST(Settings, AreReadAsWholeNumbers) {
    constexpr std::string_view kText = "cores=8 cache= size=12x rest=-3 odd";
    EXPECT_EQ(number_of(kText, "cores"), 8);
    EXPECT_EQ(number_of(kText, "rest"), -3);
    for (const char* const name : {"cache", "size", "odd", "other"}) {
        EXPECT_EQ(number_of(kText, name), std::nullopt) << name;
    }
}

TEST(Settings, QuotesHoldSpacesTogether) {
    const std::string text = setting_text("element", "int8") + " " +
                             setting_text("formula", "a = sum(x); shape=b") + " " +
                             setting_text("shape", "flat");
    EXPECT_EQ(text, "element=int8 formula=\"a = sum(x); shape=b\" shape=flat");
    EXPECT_EQ(settings_of(text),
              (Settings{"element=int8", "formula=\"a = sum(x); shape=b\"", "shape=flat"}));
    EXPECT_EQ(setting_of(text, "formula"), "a = sum(x); shape=b");
    EXPECT_EQ(setting_of(text, "shape"), "flat");
}

TEST(Settings, OfBrokenTextEndSomewhere) {
    EXPECT_EQ(settings_of("a=\"b c"), (Settings{"a=\"b c"}));
    EXPECT_EQ(settings_of("a=\"b\"c d=1"), (Settings{"a=\"b\"c", "d=1"}));
    EXPECT_EQ(settings_of("word a=\"1 2\""), (Settings{"word", "a=\"1 2\""}));
    EXPECT_EQ(settings_of("\"word a\" b=1"), (Settings{"\"word", "a\"", "b=1"}));
    EXPECT_EQ(value_of_setting("a=\""), "\"");
    EXPECT_EQ(value_of_setting("a=\"\""), "");
}

}  // namespace
}  // namespace jitune::internal
