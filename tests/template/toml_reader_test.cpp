// SPDX-License-Identifier: Apache-2.0
#include "template/toml_reader.hpp"

#include <string>

#include <gtest/gtest.h>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

std::string refusal_of(const std::string& text) {
    return refusal([&] {
        check_toml("f.cu", text, 7);
        return 0;
    });
}

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

TEST(TomlCheck, TakesOtherCharactersInQuotesAndComments) {
    for (const std::string text : {
             "a = \"é\"  # … é",
             "a = 'é\\'  # \"\nb = 'x'",
             "a = \"\\\"é\"",
             "a = \"\\\\\"\nb = \"é\"",
             "a = \"\"\"\né \" \"\" \\\"\"\"\nb = 'é'\n",
             "a = \"\"\"é\"\"\"\"\"\nb = 1",
             "a = '''é\\'''\nb = '''''é'''''",
             "a = \"\"\nb = \"é\"",
         }) {
        EXPECT_EQ(refusal_of(text), "") << text;
    }
}

TEST(TomlCheck, RefusesOtherCharactersElsewhere) {
    const std::string message = ": a character that is not ASCII stands outside quotes";
    for (const auto& [line, text] : {
             std::pair{7, "é = 1"},
             std::pair{8, "\na = ý1\n"},
             std::pair{7, "a = \"x\"é"},
             std::pair{9, "a = \"\"\"\n\n\"\"\"é"},
             std::pair{8, "a = \"never ended\né"},
             std::pair{7, "a = ''''''é"},
         }) {
        EXPECT_EQ(refusal_of(text).find("f.cu:" + std::to_string(line) + message), 0U)
            << text << '\n'
            << refusal_of(text);
    }
}

TEST(TomlCheck, RefusesOtherCharactersBehindABackslash) {
    for (const std::string text : {
             "a = \"\"\"\\\n \t\r\n é\"\"\"",
             "a = \"\"\"b\\é\"\"\"",
             "a = \"\"\"\\\\\\ \xEF\xB4\xBF\"\"\"",
             "a = \"\\é\"",
         }) {
        EXPECT_NE(refusal_of(text).find("a character that is not ASCII follows a \\"),
                  std::string::npos)
            << text;
    }
    for (const std::string text :
         {"a = \"\"\"\\\nb é \\\\é \\té\"\"\"", "a = '''\\\né'''", "a = \"\\\\é\"  # \\é"}) {
        EXPECT_EQ(refusal_of(text), "") << text;
    }
}

TEST(TomlCheck, RefusesTablesWithoutAName) {
    for (const std::string text : {"[=", "[", "[[", "[a]\n  [ \t=]", "[[.a]]", "[\n"}) {
        const bool cut_short = text.find_first_not_of('[') == std::string::npos;
        EXPECT_EQ(refusal_of(text).empty(), cut_short) << text;
    }
    for (const std::string text :
         {"[a]", "[[a.b]]", "[ 'a' ]", "[]", "a = [\n[ 1 ],\n[\n=", "a = [[1],\n  [2]]\n[b]"}) {
        EXPECT_EQ(refusal_of(text), "") << text;
    }
}

TEST(TomlCheck, RefusesBracketsThatCloseNothing) {
    for (const std::string text : {"a = [ }", "a = { b = 1 ]", "a = [{]}", "}", "[a]]"}) {
        EXPECT_NE(refusal_of(text).find(" closes nothing"), std::string::npos) << text;
    }
    EXPECT_EQ(refusal_of("a = [{ b = [\n{}, '}' # ]\n] }]"), "");
}

TEST(TomlCheck, RefusesQuotesWithinWords) {
    for (const std::string text : {"a = \"\"'é'", "a = 'b''d'", "a\"b\" = 1"}) {
        EXPECT_NE(refusal_of(text).find("a quote stands right behind"), std::string::npos) << text;
    }
    EXPECT_EQ(refusal_of("'a'.\"b\"=['c',\"d\",{'e'='f'}]\n'g' = 1"), "");
}

TEST(TomlCheck, RefusesWhatStandsRightBehindAValue) {
    for (const std::string text :
         {"a = 1.'é'", "a = 1='é'", "a=1[\"é\"]", "a = [1{'é'=1}]", "a = {b = 1.'é'}"}) {
        EXPECT_NE(refusal_of(text).find(" stands right behind a value"), std::string::npos) << text;
    }
    EXPECT_EQ(refusal_of("a='b'\nb=[1.5,{c='d',e=[\"f\"]}]\nc.'d'=1"), "");
}

TEST(TomlCheck, RefusesWordsSideBySide) {
    for (const std::string text : {"a = 2020-01-01 5 ", "a = 1  2", "a b = 1", "a = [1\t2]"}) {
        EXPECT_NE(refusal_of(text).find("two words stand side by side"), std::string::npos) << text;
    }
    EXPECT_EQ(refusal_of("a = 11 # 1\n1 = [ 1 , 2\n3 ]\n b . c = { 1 = 'd' }"), "");
}

TEST(TomlCheck, EndsAtTheEndOfATextThatNeverEnds) {
    for (const std::string text : {"a = \"", "a = \"\\", "a = '''b", "a = \"\"\"b\\"}) {
        EXPECT_EQ(refusal_of(text), "") << text;
    }
}

TEST(TomlCheck, RefusesKeysOfHundredsOfParts) {
    const std::string most = "a" + repeated(".a", 256);
    EXPECT_EQ(refusal_of(most + " = 1\n[" + most + "]"), "");
    EXPECT_EQ(refusal_of("a = \"" + most + most + "\"  # " + most), "");
    EXPECT_EQ(refusal_of("\n" + most + ".a = 1"),
              "f.cu:8: the line has more than 256 dots outside quotes: split it");
}

}  // namespace
}  // namespace jitune::internal
