// SPDX-License-Identifier: Apache-2.0
#include "cli/sizes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST(Sizes, AreNumbersPowersAndSums) {
    EXPECT_EQ(parse_size("1000"), 1000);
    EXPECT_EQ(parse_size("2^20"), 1 << 20);
    EXPECT_EQ(parse_size("2^20+7"), (1 << 20) + 7);
    EXPECT_EQ(parse_size("10^6-2^3-1"), 999991);
    EXPECT_EQ(parse_size("1^99"), 1);
    EXPECT_EQ(parse_size("2^40"), kMaxSize);
}

TEST(Sizes, ListsKeepTheirOrderAndDropRepeats) {
    EXPECT_EQ(parse_sizes("1000,2^4,7"), (Sizes{1000, 16, 7}));
    EXPECT_EQ(parse_sizes("16,2^4,8..32"), (Sizes{16, 8, 32}));
}

TEST(Sizes, RangesDoubleUpToTheirEnd) {
    EXPECT_EQ(parse_sizes("2^10..2^13"), (Sizes{1024, 2048, 4096, 8192}));
    EXPECT_EQ(parse_sizes("1000..3999"), (Sizes{1000, 2000}));
    EXPECT_EQ(parse_sizes("5..5"), (Sizes{5}));
    EXPECT_EQ(parse_sizes("2^40..2^40"), (Sizes{kMaxSize}));
}

TEST(Sizes, RefuseWhatIsNoSizeAndSayWhatIs) {
    for (const char* text :
         {"", "x", "0", "-1", "+1", "1+", "1 ", "2^", "^2", "2^-1", "2^41", "2^64", "0^0", "1e6",
          "7-7", "99999999999999999999", "2^40+1", "2^2^2", "0x10"}) {
        EXPECT_NE(refusal([&] { parse_size(text); }).find("2^20+7"), std::string::npos) << text;
    }
}

TEST(Sizes, RefuseBrokenLists) {
    EXPECT_NE(refusal([] { parse_sizes("2^10..2^8"); }).find("downwards"), std::string::npos);
    EXPECT_NE(refusal([] { parse_sizes("1,,2"); }).find("--sizes"), std::string::npos);
    for (const char* text : {"", ",", "1,", "..", "1..", "..4", "1...4", "1..2..4"}) {
        EXPECT_NE(refusal([&] { parse_sizes(text); }), "") << text;
    }
}

TEST(Sizes, ComeInPairsWithACross) {
    EXPECT_EQ(parse_size_pair("1024x65536"), (SizePair{1024, 65536}));
    EXPECT_EQ(parse_size_pair("2^20+1x2^6"), (SizePair{(1 << 20) + 1, 64}));
    EXPECT_EQ(parse_size_pair("1x2^40"), (SizePair{1, kMaxSize}));
    for (const char* text :
         {"", "x", "8", "8x", "x8", "8x0", "8x8x8", "8X8", "8*8", "2^41x1", "8 x 8", "1..2x4"}) {
        EXPECT_NE(refusal([&] { parse_size_pair(text); }), "") << text;
    }
    EXPECT_NE(refusal([] { parse_size_pair("1024"); }).find("1024x65536"), std::string::npos);
}

TEST(Sizes, ArePrintedAsPowersWhereTheyAre) {
    EXPECT_EQ(size_text(1 << 20), "2^20");
    EXPECT_EQ(size_text((1 << 20) + 1), "1048577");
    EXPECT_EQ(size_text(512), "512");
}

TEST(Seeds, AreWholeNumbersOf64Bits) {
    EXPECT_EQ(parse_seed("18446744073709551615"), ~std::uint64_t{0});
    for (const char* text : {"", "-1", "1.5", "18446744073709551616"}) {
        EXPECT_NE(refusal([&] { parse_seed(text); }), "") << text;
    }
}

}  // namespace
}  // namespace jitune::internal
