// SPDX-License-Identifier: Apache-2.0
#include "sizes/box_sets.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

TEST(SizeBoxes, AreUnitedToTheSameBoxesHoweverTheyAreCut) {
    const auto united_text = [](const std::string& text) {
        return coverage_text(united(parse_coverage(text).value()), size_names(text));
    };
    EXPECT_EQ(united_text("n=9..20; n=1..4; n=5..8; n=30"), "n=1..20; n=30");
    EXPECT_EQ(united_text("n=3..9; n=1..5"), "n=1..9");
    EXPECT_EQ(united_text("n=9..9223372036854775807; n=1..8"), "n=1..9223372036854775807");
    EXPECT_EQ(united_text("a=1..4 b=1..8; a=5..9 b=1..3"), "a=1..4 b=1..8; a=5..9 b=1..3");
    EXPECT_EQ(united_text("a=1..9 b=1..3; a=1..4 b=4..8"), "a=1..4 b=1..8; a=5..9 b=1..3");
    EXPECT_EQ(united_text("a=1..2 b=1 c=1; a=3 b=1 c=1; a=1..3 b=2 c=1"), "a=1..3 b=1..2 c=1");
    EXPECT_TRUE(united({}).empty());
}

/// Up to 8 boxes among the sizes from 1 to 10.
std::vector<SizeBox> some_boxes(std::mt19937& random, std::size_t dimensions) {
    std::vector<SizeBox> boxes(std::uniform_int_distribution<std::size_t>(0, 8)(random));
    for (SizeBox& box : boxes) {
        for (std::size_t i = 0; i < dimensions; ++i) {
            box.from.push_back(std::uniform_int_distribution<>(1, 7)(random));
            box.to.push_back(box.from.back() + std::uniform_int_distribution<>(0, 3)(random));
        }
    }
    return boxes;
}

std::ptrdiff_t holders(const std::vector<SizeBox>& boxes, const Sizes& sizes) {
    return std::count_if(boxes.begin(), boxes.end(),
                         [&](const SizeBox& box) { return box.contains(sizes); });
}

TEST(SizeBoxes, HoldEachSizeOnceInTheirUnionAndOutside) {
    std::mt19937 random(1);
    for (int turn = 0; turn < 200; ++turn) {
        const std::size_t dimensions = 1 + static_cast<std::size_t>(turn % 3);
        const auto boxes = some_boxes(random, dimensions);
        const auto others = some_boxes(random, dimensions);
        const auto whole = united(boxes);
        const auto rest = outside(whole, others);
        for (int place = 0; place < 1000; ++place) {
            Sizes sizes{1 + place % 10, 1 + place / 10 % 10, 1 + place / 100};
            sizes.resize(dimensions);
            const bool held = covers(boxes, sizes);
            ASSERT_EQ(holders(whole, sizes), held ? 1 : 0) << "turn " << turn;
            ASSERT_EQ(holders(rest, sizes), held && !covers(others, sizes) ? 1 : 0)
                << "turn " << turn;
        }
    }
}

// To compare each box with all others would take a quarter of an hour.
TEST(SizeBoxes, MayBeAHundredThousand) {
    std::vector<SizeBox> boxes;
    for (std::int64_t i = 0; i < 100'000; ++i) {
        boxes.push_back(SizeBox::point(Sizes{2 * (i * 7919 % 100'000) + 1}));
    }
    EXPECT_EQ(united(boxes).size(), boxes.size());
    EXPECT_EQ(outside(std::vector<SizeBox>{{{1}, {200'000}}}, boxes).size(), boxes.size());
}

TEST(BoxSets, AShareIsOfTheWholeThatWasAskedFor) {
    const SizeBox whole{{1024}, {16383}};
    EXPECT_DOUBLE_EQ(share_of({}, whole), 0);
    EXPECT_DOUBLE_EQ(share_of(std::vector{SizeBox{{1024}, {2047}}}, whole), 0.25);
    EXPECT_DOUBLE_EQ(share_of(std::vector{SizeBox{{1}, {2047}}, SizeBox{{1024}, {4095}}}, whole),
                     0.5)
        << "sizes outside do not count, nor do any twice";
    EXPECT_DOUBLE_EQ(share_of(std::vector{SizeBox{{1, 1}, {1, 3}}}, SizeBox{{1, 1}, {3, 3}}), 0.5);
}

}  // namespace
}  // namespace jitune::internal
