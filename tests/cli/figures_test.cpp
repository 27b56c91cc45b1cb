// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "cli/db/record_json.hpp"

namespace jitune::internal {
namespace {

TEST(Figures, AreNamesAndNumbers) {
    const std::string figures = R"({"energy_j":0.0125,"power_w":350.5})";
    EXPECT_EQ(figures_text(figures), "energy_j=0.0125 power_w=350.5");
    EXPECT_EQ(figures_json(figures).text(), R"({"energy_j":0.0125,"power_w":350.5})");
    EXPECT_EQ(figures_text(""), "");
    EXPECT_EQ(figures_json("").text(), "{}");
}

TEST(Figures, OfAnotherKindAreShownAsTheyAre) {
    for (const std::string text : {"7", "[1]", "{\"a\":[1]}", "{\"a\":\"b\"}", "{", "no"}) {
        EXPECT_EQ(figures_text(text), text);
        EXPECT_EQ(figures_json(text).text(), Json(text).text());
    }
}

}  // namespace
}  // namespace jitune::internal
