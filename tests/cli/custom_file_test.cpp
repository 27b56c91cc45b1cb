// SPDX-License-Identifier: Apache-2.0
#include "cli/families/custom_file.hpp"

#include <string>

#include <gtest/gtest.h>

#include "families/reduce/custom_operation.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

const std::string kLeast = R"(
name = "least"
state = "float"
identity = "1e38f"
map = "x"
combine = "a < b ? a : b"
)";

std::string refusal_of(const std::string& text) {
    return refusal([&] { return parse_custom(text, "least.toml"); });
}

TEST(CustomFile, HoldsEveryField) {
    const CustomOperation operation = parse_custom(kLeast + R"(
definitions = """
struct Pair {
    int first, second;
};"""
finish = "a * n"
result = "float64"
tolerance = 0
)",
                                                   "least.toml");
    EXPECT_EQ(operation.name, "least");
    EXPECT_EQ(operation.definitions, "struct Pair {\n    int first, second;\n};");
    EXPECT_EQ(operation.state, "float");
    EXPECT_EQ(operation.identity, "1e38f");
    EXPECT_EQ(operation.map, "x");
    EXPECT_EQ(operation.combine, "a < b ? a : b");
    EXPECT_EQ(operation.finish, "a * n");
    EXPECT_EQ(operation.result, ElementType::float64);
    EXPECT_EQ(operation.tolerance, 0);
}

TEST(CustomFile, LeavesWhatItDoesNotSayAsItIs) {
    const CustomOperation operation = parse_custom(kLeast, "least.toml");
    EXPECT_EQ(operation.definitions, "");
    EXPECT_EQ(operation.finish, "a");
    EXPECT_EQ(operation.result, ElementType::float32);
    EXPECT_EQ(operation.tolerance, CustomOperation{}.tolerance);
}

TEST(CustomFile, NeedsTheFieldsWithoutADefault) {
    for (const std::string field : {"name", "state", "identity", "map", "combine"}) {
        std::string text = kLeast;
        text.replace(text.find("\n" + field + " ") + 1, 0, "# ");
        EXPECT_NE(refusal_of(text).find(field + " = "), std::string::npos) << refusal_of(text);
    }
}

TEST(CustomFile, RefusesWhatItDoesNotKnowWithItsLine) {
    EXPECT_NE(refusal_of(kLeast + "colour = \"red\"\n").find("\"colour\""), std::string::npos);
    EXPECT_TRUE(refusal_of(kLeast + "colour = \"red\"\n").starts_with("least.toml:7: "));
    EXPECT_NE(refusal_of(kLeast + "result = \"float\"\n").find("float64"), std::string::npos);
    EXPECT_NE(refusal_of(kLeast + "result = 32\n").find("result"), std::string::npos);
    EXPECT_NE(refusal_of(kLeast + "finish = \"\"\n").find("finish"), std::string::npos);
    for (const char* tolerance : {"\"0.1\"", "true", "[1]", "{}", "1979-05-27"}) {
        EXPECT_NE(refusal_of(kLeast + "tolerance = " + tolerance).find("tolerance"),
                  std::string::npos)
            << tolerance;
    }
    EXPECT_NE(refusal_of(kLeast + "name = \"again\""), "");
    EXPECT_NE(refusal_of("\x93NUMPY"), "");
    EXPECT_NE(refusal_of(""), "");
}

TEST(CustomFile, ReadsTheExample) {
    const CustomOperation operation =
        read_custom(std::string(JITUNE_EXAMPLES_DIR) + "/log_sum_exp.toml");
    EXPECT_EQ(operation.name, "log_sum_exp");
    EXPECT_NO_THROW(refuse_bad_operation(operation));
    EXPECT_THROW(read_custom("/none.toml"), Error);
}

}  // namespace
}  // namespace jitune::internal
