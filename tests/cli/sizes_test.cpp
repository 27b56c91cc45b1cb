// SPDX-License-Identifier: Apache-2.0
#include "cli/families/sizes.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"
#include "text/units.hpp"

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

TEST(Sizes, MayBeWrittenInDecimalNotation) {
    EXPECT_EQ(parse_size("1e6"), 1000000);
    EXPECT_EQ(parse_size("1.5e3"), 1500);
    EXPECT_EQ(parse_size("1e6+1"), 1000001);
}

TEST(Sizes, HaveDecimalAndBinarySuffixes) {
    EXPECT_EQ(parse_size("1k"), 1000);
    EXPECT_EQ(parse_size("3M"), 3000000);
    EXPECT_EQ(parse_size("1.5G"), 1500000000);
    EXPECT_EQ(parse_size("1T"), 1000000000000);
    EXPECT_EQ(parse_size("1Ki"), 1 << 10);
    EXPECT_EQ(parse_size("3Mi+7"), (3 << 20) + 7);
    EXPECT_EQ(parse_size("1Gi"), 1 << 30);
    EXPECT_EQ(parse_size("1Ti"), kMaxSize);
    EXPECT_EQ(parse_single_sizes("1k..4k*2,1Ki"), (Sizes{1000, 2000, 4000, 1024}));
    EXPECT_EQ(parse_size_pair("4kx1Mi"), (SizePair{4000, 1 << 20}));
}

TEST(Sizes, OfBrokenPowersAreRounded) {
    EXPECT_EQ(parse_size("2^10.5"), 1448);
    EXPECT_EQ(parse_size("10^3.5"), 3162);
    EXPECT_EQ(parse_size("3^25"), 847288609443);
}

TEST(Sizes, ListsKeepTheirOrderAndDropRepeats) {
    EXPECT_EQ(parse_single_sizes("1000,2^4,7"), (Sizes{1000, 16, 7}));
    EXPECT_EQ(parse_single_sizes("16,2^4,8..32*2"), (Sizes{16, 8, 32}));
}

TEST(Sizes, ARangeIsEverySizeBetween) {
    EXPECT_EQ(parse_sizes("2^10..2^13,7"), (std::vector<SizeSpan>{{1024, 8192}, {7, 7}}));
    EXPECT_EQ(parse_sizes("5..5"), (std::vector<SizeSpan>{{5, 5}}));
    EXPECT_NE(refusal([] { parse_single_sizes("1..4"); }).find("*2"), std::string::npos);
}

TEST(Sizes, ARangeTimesTwoDoublesUpToItsEnd) {
    EXPECT_EQ(parse_single_sizes("2^10..2^13*2"), (Sizes{1024, 2048, 4096, 8192}));
    EXPECT_EQ(parse_single_sizes("1000..3999*2"), (Sizes{1000, 2000}));
    EXPECT_EQ(parse_single_sizes("2^40..2^40*2"), (Sizes{kMaxSize}));
}

TEST(Sizes, ARangeOfPairsIsEveryPairBetween) {
    EXPECT_EQ(parse_size_pairs("16x8..2^10x2^4,3x4"),
              (std::vector<SizePairSpan>{{{16, 8}, {1024, 16}}, {{3, 4}, {3, 4}}}));
    for (const char* text : {"16x8..8x16", "16x8..", "..16x8", "16x8..16", "16..8x8"}) {
        EXPECT_NE(refusal([&] { parse_size_pairs(text); }), "") << text;
    }
}

TEST(Sizes, RefuseWhatIsNoSizeAndSayWhatIs) {
    for (const char* text : {"",
                             "x",
                             "0",
                             "-1",
                             "+1",
                             "1+",
                             "1 ",
                             "2^",
                             "^2",
                             "2^-1",
                             "2^41",
                             "2^64",
                             "0^0",
                             "1e",
                             "1e13",
                             "1.5",
                             "1.0001k",
                             "1K",
                             "1m",
                             "1ki",
                             "1B",
                             "k",
                             "2k^3",
                             "2^1e9",
                             "nan",
                             "inf",
                             "2^nan",
                             "1e-3",
                             "2T",
                             "7-7",
                             "99999999999999999999",
                             "2^40+1",
                             "2^2^2",
                             "0x10"}) {
        EXPECT_NE(refusal([&] { parse_size(text); }).find("2^20+7"), std::string::npos) << text;
    }
}

TEST(Sizes, RefuseBrokenLists) {
    EXPECT_NE(refusal([] { parse_sizes("2^10..2^8"); }).find("downwards"), std::string::npos);
    EXPECT_NE(refusal([] { parse_sizes("1,,2"); }).find("--sizes"), std::string::npos);
    for (const char* text :
         {"", ",", "1,", "..", "1..", "..4", "1...4", "1..2..4", "1..*2", "1..4*3", "4*2"}) {
        EXPECT_NE(refusal([&] { parse_sizes(text); }), "") << text;
    }
}

TEST(Sizes, RefuseARangeThatIsNoneAndSayWhy) {
    const auto said = [](const char* text, const char* reason) {
        const std::string message = refusal([&] { parse_sizes(text); });
        EXPECT_NE(message.find(reason), std::string::npos) << text << ": " << message;
    };
    said("16x16", "--shape rows");
    said("16x16..32x32", "--shape rows");
    said("10..20*3", "the only step of a range is *2");
    said("..5", "has no first size");
    said("5..", "has no end");
    const std::string pairs = refusal([] { parse_size_pairs("16x16..64x64*2"); });
    EXPECT_NE(pairs.find("a range of pairs cannot double"), std::string::npos) << pairs;
    const std::string single = refusal([] { parse_size("1..4"); });
    EXPECT_NE(single.find("jitune sweep takes ranges"), std::string::npos) << single;
}

TEST(Sizes, ComeInPairsWithACross) {
    EXPECT_EQ(parse_size_pair("1024x65536"), (SizePair{1024, 65536}));
    EXPECT_EQ(parse_size_pair("2^20+1x2^6"), (SizePair{(1 << 20) + 1, 64}));
    EXPECT_EQ(parse_size_pair("1x2^40"), (SizePair{1, kMaxSize}));
    for (const char* text :
         {"", "x", "8", "8x", "x8", "8x0", "8x8x8", "8X8", "8*8", "2^41x1", "8 x 8", "1..2x4"}) {
        EXPECT_NE(refusal([&] { parse_size_pair(text); }), "") << text;
    }
    for (const char* text : {"1024", "10x", "16x16x16"}) {
        const std::string message = refusal([&] { parse_size_pair(text); });
        EXPECT_NE(message.find("1024x65536"), std::string::npos) << message;
        EXPECT_NE(message.find(text), std::string::npos) << message;
    }
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
