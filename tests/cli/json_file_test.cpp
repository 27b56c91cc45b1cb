// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/json_file.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

std::string repeated(const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) {
        result += text;
    }
    return result;
}

std::string json_refusal_of(const std::string& text) {
    return refusal([&] { return parse_json(text, "in.json"); });
}

TEST(JsonFile, MayNest64Levels) {
    for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"{\"a\":", "}"}}) {
        EXPECT_EQ(json_refusal_of(repeated(open, 64) + "1" + repeated(close, 64)), "");
        EXPECT_EQ(json_refusal_of(repeated(open, 65) + "1" + repeated(close, 65)),
                  "in.json: nested more than 64 levels deep");
        EXPECT_EQ(json_refusal_of(repeated(open, 1'000'000)),
                  "in.json: nested more than 64 levels deep");
    }
}

TEST(JsonFile, MayHave1024MembersInEachObject) {
    const auto members = [](int count) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            text += (i == 0 ? "" : ",") + ('"' + std::to_string(i)) + "\":{}";
        }
        return '{' + text + '}';
    };
    EXPECT_EQ(parse_json("[" + members(1024) + "," + members(1024) + "]", "in.json")[1].size(),
              1024U);
    EXPECT_EQ(json_refusal_of(members(1025)), "in.json: an object has more than 1024 members");
}

TEST(JsonFile, LimitsTheValuesOfADocument) {
    const JsonLimits limits{.values = 5};
    for (const char* const text : {"[1, [], {}, null]", R"({"a": 1, "b": 2, "c": 3, "d": 4})"}) {
        EXPECT_EQ(refusal([&] { return parse_json(text, "in.json", limits); }), "");
    }
    for (const char* const text : {"[1, 2, 3, 4, 5]", R"([{}, {}, [], [], ""])"}) {
        EXPECT_EQ(refusal([&] { return parse_json(text, "in.json", limits); }),
                  "in.json: more than 5 values");
    }
}

TEST(JsonFile, ASmallArchiveMayUnpackTo256MiB) {
    const TempDir folder;
    const auto path = folder.path() / "bomb.json.gz";
    gzFile packed = gzopen(path.c_str(), "wb");
    const std::string spaces(1 << 20, ' ');
    gzwrite(packed, spaces.data(), static_cast<unsigned>(spaces.size()));
    gzclose(packed);
    std::ifstream file(path, std::ios::binary);
    const std::string member{std::istreambuf_iterator<char>(file), {}};
    std::ofstream(path, std::ios::binary) << repeated(member, 257);
    EXPECT_LT(std::filesystem::file_size(path), 400'000U);
    EXPECT_EQ(refusal([&] { return read_json(path); }),
              path.string() + ": more than 256 MiB of text");
}

TEST(JsonFile, IntegersHave63Bits) {
    const Json document = parse_json(
        R"({"most": 9223372036854775807, "more": 9223372036854775808, "least": -9223372036854775808,
            "real": 1e3})",
        "in.json");
    EXPECT_EQ(integer_member(document, "most"), 9223372036854775807);
    EXPECT_EQ(integer_member(document, "least"), -9223372036854775807 - 1);
    for (const char* const key : {"more", "real"}) {
        EXPECT_EQ(refusal([&] { return integer_member(document, key); }),
                  '"' + std::string(key) + "\" must be an integer of at most 63 bits");
    }
}

}  // namespace
}  // namespace jitune::internal
