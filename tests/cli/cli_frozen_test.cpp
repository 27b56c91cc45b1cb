// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// A frozen session, and the commands that show what it would serve.
class CliFrozen : public CliFixture {
protected:
    [[nodiscard]] Answer frozen(const std::string& arguments) const {
        return shell("JITUNE_FROZEN=1 exec \"$jitune\" " + arguments);
    }
};

TEST_F(CliFrozen, ServesWhatASweepHasStored) {
    ASSERT_EQ(jitune("sweep reduce --device host --sizes 2^10 --budget 0.3").code, 0);
    const std::string digest = jitune("db digest").out;
    EXPECT_EQ(digest.size(), 33U);
    const json digest_json = jitune_json("db digest");
    EXPECT_EQ(digest_json["digest"].get<std::string>() + '\n', digest);
    EXPECT_EQ(digest_json["winners"], jitune_json("db list")["winners"].size());
    EXPECT_EQ(jitune("db digest --kernel reduce --type float32 --op sum").out, digest);
    const json none = jitune_json("db digest --op max");
    EXPECT_EQ(none["winners"], 0);
    EXPECT_NE(none["digest"], digest_json["digest"]);

    const json key = jitune_json("db coverage")["keys"].at(0);
    EXPECT_EQ(key["key"]["kernel"], "reduce");
    EXPECT_TRUE(std::any_of(key["served"].begin(), key["served"].end(), [](const json& box) {
        return box["n"][0] <= 1024 && box["n"][1] >= 1024;
    })) << key;
    EXPECT_GE(key["binaries"], 1);
    EXPECT_GE(key["configurations"], key["binaries"]);
    const std::string text = jitune("db coverage").out;
    EXPECT_NE(text.find("served          n="), std::string::npos) << text;
    for (const std::string command : {"db coverage", "db digest"}) {
        const Answer unmatched = jitune(command + " --op max --type int8");
        EXPECT_EQ(unmatched.code, 0);
        EXPECT_EQ(unmatched.err, "jitune: warning: no winner matches --type int8 --op max\n");
        expect_failure(command + " --op summ", 2, "all, any, arg_max");
        expect_failure(command + " --type float8", 2, "float64");
        expect_failure(command + " --kernel reduec", 2, "entropy, reduce, reduce_columns");
    }
    expect_failure("db show --kernel reduec", 2, "entropy, reduce, reduce_columns");

    const Answer explained = frozen("db explain --device host -n 2^10");
    EXPECT_EQ(explained.out.find("the table is frozen: the stored winner answers"), 0U)
        << explained.out;
    EXPECT_NE(explained.out.find("calls for a whole array as small take the default"),
              std::string::npos)
        << explained.out;
    EXPECT_EQ(jitune("db digest").out, digest);
}

TEST_F(CliFrozen, DoesNotTune) {
    for (const std::string database : {"", " --db none"}) {
        for (const std::string command :
             {"sweep reduce --device host --sizes 2^10",
              "tune '" JITUNE_EXAMPLES_DIR
              "/matmul.host.cpp' --size m=8 --size n=8 --size k=8 --type element=float32"}) {
            const Answer answer = frozen(command + database);
            EXPECT_EQ(answer.code, 2) << command;
            EXPECT_NE(answer.err.find("the session is frozen"), std::string::npos) << answer.err;
        }
    }
    EXPECT_FALSE(std::filesystem::exists(path("tuning.db")));
    EXPECT_NE(shell("JITUNE_FROZEN=yes exec \"$jitune\" db digest")
                  .err.find("JITUNE_FROZEN: \"yes\" is neither 1"),
              std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
