// SPDX-License-Identifier: Apache-2.0
#include "space/configuration.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

class ConfigurationText : public testing::Test {
protected:
    const std::vector<Parameter> parameters_{
        {"block", {std::int64_t{128}, std::int64_t{256}}, 0},
        {"offset", {std::int64_t{-1}, std::int64_t{0}}, 0},
        {"finish", {Value("two_launches"), Value("last_block")}, 0},
    };

    Configuration parse(std::string_view text) const {
        return Configuration::parse(text, parameters_);
    }

    void expect_refused(std::string_view text, std::string_view because) const {
        const std::string message = refusal([&] { return parse(text); });
        EXPECT_NE(message.find(because), std::string::npos) << message;
    }
};

TEST_F(ConfigurationText, IsReadBack) {
    const Configuration configuration({{"block", std::int64_t{256}},
                                       {"offset", std::int64_t{-1}},
                                       {"finish", Value("last_block")}});
    EXPECT_EQ(configuration.text(), "block=256 offset=-1 finish=last_block");
    EXPECT_EQ(parse(configuration.text()), configuration);
}

TEST_F(ConfigurationText, HasTheParametersOrderWhateverTheOrderGiven) {
    EXPECT_EQ(parse("  finish=last_block  block=128 offset=0 ").text(),
              "block=128 offset=0 finish=last_block");
}

TEST_F(ConfigurationText, GivesValuesByName) {
    const Configuration configuration = parse("block=128 offset=0 finish=last_block");
    EXPECT_EQ(configuration.at("block"), Value(std::int64_t{128}));
    EXPECT_EQ(configuration.at("finish"), Value("last_block"));
    EXPECT_THROW((void)configuration.at("Block"), std::out_of_range);
}

TEST_F(ConfigurationText, RefusesWhatIsNotOneValuePerParameter) {
    expect_refused("block=128 offset=0",
                   "parameter finish is missing; its values are two_launches");
    expect_refused("", "parameter block is missing");
    expect_refused("block=128 block=128 offset=0 finish=last_block", "block is given twice");
    expect_refused("block=128 items=4",
                   "unknown parameter \"items\"; the parameters are block, offset, finish");
}

TEST_F(ConfigurationText, RefusesValuesThatAreNotListed) {
    expect_refused("block=64 offset=0 finish=last_block",
                   "cannot be \"64\"; its values are 128, 256");
    expect_refused("block=0128 offset=0 finish=last_block", "cannot be \"0128\"");
    expect_refused("block=128.0 offset=0 finish=last_block", "cannot be");
    expect_refused("block=", "cannot be \"\"");
    expect_refused("finish='last_block'", "its values are two_launches, last_block");
}

TEST_F(ConfigurationText, RefusesGarbage) {
    expect_refused("block", "expected parameter=value, found \"block\"");
    expect_refused("block = 128", "expected parameter=value");
    expect_refused("=128", "unknown parameter \"\"");
    expect_refused("block=128\toffset=0", "cannot be");
    expect_refused("block=128,offset=0", "cannot be");
}

}  // namespace
}  // namespace jitune::internal
