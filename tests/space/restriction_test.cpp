// SPDX-License-Identifier: Apache-2.0
#include "space/restriction.hpp"

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

using Texts = std::vector<std::string>;

Parameter integers_of(std::string name, const std::vector<std::int64_t>& values,
                      std::size_t standard) {
    return {std::move(name), {values.begin(), values.end()}, standard};
}

SearchSpace blocks_and_items() {
    return SearchSpace({integers_of("block", {32, 64, 128, 256}, 1),
                        integers_of("items", {4, 1}, 0),
                        {"load", {std::string("plain"), std::string("async")}, 0}},
                       {Expression::parse("block * items <= 512")});
}

Texts left_by(const Texts& restrictions) {
    const SearchSpace part = restricted_space(blocks_and_items(), restrictions);
    Texts texts;
    for (std::size_t i = 0; i < part.size(); ++i) {
        EXPECT_EQ(part.find(part.at(i)), i);
        texts.push_back(part.at(i).text());
    }
    return texts;
}

TEST(Restriction, LeavesTheLegalConfigurationsOfItsValues) {
    EXPECT_EQ(left_by({"block=256,64", "load=async"}),
              (Texts{"block=64 items=4 load=async", "block=64 items=1 load=async",
                     "block=256 items=1 load=async"}));
    EXPECT_EQ(left_by({"block=60..128", "load=plain", "items=1"}),
              (Texts{"block=64 items=1 load=plain", "block=128 items=1 load=plain"}));
    EXPECT_EQ(left_by({}).size(), blocks_and_items().size());
}

TEST(Restriction, KeepsTheDefaultWhereItIsLeft) {
    const SearchSpace space = blocks_and_items();
    const std::vector<Parameter>& all = space.parameters();
    const Texts kept{"block=32..64"};
    EXPECT_EQ(restricted_parameters(all, kept).front().default_value(), Value(std::int64_t{64}));
    const Texts gone{"block=128,256"};
    EXPECT_EQ(restricted_parameters(all, gone).front().default_value(), Value(std::int64_t{128}));
}

TEST(Restriction, RefusalsSayWhatThereIs) {
    const auto refuse = [](const Texts& texts, const char* reason) {
        expect_error(ErrorKind::usage, reason, [&] { left_by(texts); });
    };
    refuse({"warps=4"}, "unknown parameter \"warps\"; the parameters are block, items, load");
    refuse({"block=64,100"}, "block cannot be \"100\"; its values are 32, 64, 128, 256");
    refuse({"block=300..400"}, "block cannot be \"300..400\"");
    refuse({"load=async..plain"}, "load cannot be");
    refuse({"block="}, "block cannot be \"\"");
    refuse({"block"}, "expected parameter=value");
    refuse({"=64"}, "expected parameter=value");
    refuse({"block=64", "block=32"}, "parameter block is restricted twice");
}

TEST(Restriction, AnEmptySpaceNamesWhatEmptiesIt) {
    const SearchSpace small(
        {integers_of("block", {32, 64, 1024}, 0), integers_of("items", {1, 4}, 0)},
        {Expression::parse("block * items <= 128 and block < 1000")});
    const Texts one{"items=1", "block=1024"};
    expect_error(ErrorKind::usage, "restriction \"block=1024\": no legal configuration",
                 [&] { restricted_space(small, one); });
    const Texts both{"block=64", "items=4"};
    expect_error(ErrorKind::usage, "restrictions block=64 items=4: no legal configuration",
                 [&] { restricted_space(small, both); });
}

}  // namespace
}  // namespace jitune::internal
