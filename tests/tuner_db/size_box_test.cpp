// SPDX-License-Identifier: Apache-2.0
#include "sizes/size_box.hpp"

#include <limits>

#include <random>

#include <gtest/gtest.h>

namespace jitune::internal {
namespace {

const std::vector<std::string> kNames{"rows", "columns"};

TEST(SizeBox, HoldsBothOfItsEnds) {
    const SizeBox box{{1, 16}, {64, 4096}};
    EXPECT_TRUE(box.contains(Sizes{1, 16}));
    EXPECT_TRUE(box.contains(Sizes{64, 4096}));
    EXPECT_FALSE(box.contains(Sizes{65, 4096}));
    EXPECT_FALSE(box.contains(Sizes{64, 15}));
    EXPECT_FALSE(box.contains(Sizes{64})) << "a problem of another shape";
}

TEST(SizeBox, SurvivesItsText) {
    const std::vector<SizeBox> boxes{{{1, 16}, {64, 4096}}, SizeBox::point(Sizes{7, 1})};
    const std::string text = coverage_text(boxes, kNames);
    EXPECT_EQ(text, "rows=1..64 columns=16..4096; rows=7 columns=1");
    EXPECT_EQ(parse_coverage(text), boxes);
    EXPECT_EQ(parse_coverage(""), std::vector<SizeBox>{});
}

TEST(SizeBox, RefusesMalformedText) {
    for (const char* text : {"n", "n=", "n=x", "n=0", "n=5..4", "n=1..", "n=..4", "n=1;", "n=1; ",
                             "n=1; n=2 m=3", "n=99999999999999999999", "n=1  m=2", " "}) {
        EXPECT_EQ(parse_coverage(text), std::nullopt) << '"' << text << '"';
    }
}

/// Small boxes, so that every size can be looked at.
SizeBox random_box(std::mt19937& random) {
    SizeBox box;
    for (int i = 0; i < 2; ++i) {
        const std::int64_t from = std::uniform_int_distribution<>(1, 6)(random);
        box.from.push_back(from);
        box.to.push_back(from + std::uniform_int_distribution<>(0, 4)(random));
    }
    return box;
}

TEST(SizeBox, WhatIsOutsideOfAnotherIsCutIntoPartsWithoutOverlap) {
    std::mt19937 random(1);
    for (int turn = 0; turn < 300; ++turn) {
        const SizeBox box = random_box(random);
        const SizeBox other = random_box(random);
        const std::vector<SizeBox> parts = box.outside(other);
        for (std::int64_t row = 1; row <= 10; ++row) {
            for (std::int64_t column = 1; column <= 10; ++column) {
                const Sizes sizes{row, column};
                int held = 0;
                for (const SizeBox& part : parts) {
                    held += part.contains(sizes) ? 1 : 0;
                }
                const bool wanted = box.contains(sizes) && !other.contains(sizes);
                ASSERT_EQ(held, wanted ? 1 : 0) << coverage_text(std::vector{box, other}, kNames)
                                                << " at " << row << ", " << column;
                if (wanted) {
                    const SizeBox rest = box.without(other, sizes);
                    EXPECT_TRUE(rest.contains(sizes));
                    EXPECT_FALSE(rest.overlaps(other));
                }
            }
        }
    }
}

TEST(CoverageHolds, AgreesWithTheBoxes) {
    for (const std::string text :
         {"n=1..4; n=8", "n=5", "rows=1..4 columns=7; rows=9 columns=1..3", "", "n=0", "n=3..2",
          "n", "n=1..2..3", "n=1 ", "rows=1..4 columns=7; n=2"}) {
        SCOPED_TRACE(text);
        const auto boxes = parse_coverage(text);
        for (std::int64_t first = 1; first < 10; ++first) {
            for (const Sizes& sizes : {Sizes{first}, Sizes{first, 2}, Sizes{first, 7}}) {
                if (boxes) {
                    EXPECT_EQ(coverage_holds(text, sizes), covers(*boxes, sizes));
                }
            }
        }
    }
}

TEST(CoverageHolds, RefusesAMalformedRange) {
    for (const char* text : {"n=0", "n=3..2", "n", "n=1..2..3", "n=x", "n=1..4; 8"}) {
        EXPECT_EQ(coverage_holds(text, Sizes{1}), std::nullopt) << text;
    }
}

TEST(Octaves, AddUpTheDimensions) {
    EXPECT_DOUBLE_EQ(octaves_between(Sizes{4, 3}, Sizes{1, 6}), 3);
    EXPECT_DOUBLE_EQ(octaves_of({{1, 5}, {8, 5}}), 3);
    EXPECT_DOUBLE_EQ(octaves_between(SizeBox{{2, 1}, {4, 9}}, Sizes{16, 5}), 2);
}

TEST(SizeBox, IsNearSizesByAPartOfEach) {
    EXPECT_EQ(SizeBox::near(Sizes{1000, 15}, 16), (SizeBox{{938, 15}, {1062, 15}}));
    constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(SizeBox::near(Sizes{kLargest}, 16).to, Sizes{kLargest});
}

}  // namespace
}  // namespace jitune::internal
