// SPDX-License-Identifier: Apache-2.0
#include "cli/db/record_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fixtures/expect_error.hpp"
#include "fixtures/toy_record.hpp"

namespace jitune::internal {
namespace {

template <class Record>
Json parsed(const Record& record) {
    return Json::parse(to_json(record).dump());
}

TEST(RecordJson, HoldsEveryFieldButBinaryOnes) {
    Toy expected = toy_of("merry");
    expected.image.clear();
    const Json json = parsed(toy_of("merry"));
    EXPECT_EQ(from_json<Toy>(json), expected);
    EXPECT_FALSE(json.contains("image"));
    EXPECT_EQ(json["mood"], "merry");
    EXPECT_EQ(json["provenance"]["driver"], "CUDA 13.0");
}

TEST(RecordJson, OfAnOlderVersionIsReadWithTheDefaultOfAnAddedField) {
    EXPECT_EQ(from_json<Toy>(parsed(old_toy())).mood, "calm");
}

TEST(RecordJson, NamesTheMemberThatItRefuses) {
    for (const char* name : {"name", "count", "time_ns", "done", "verdict", "samples_ns", "symbols",
                             "provenance", "mood"}) {
        for (const Json& value : {Json(nullptr), Json::array({nullptr}), Json(-1.5)}) {
            Json json = parsed(toy_of("merry"));
            json[name] = value;
            const char* named = std::string(name) == "provenance" ? "device_name" : name;
            expect_error(ErrorKind::usage, named, [&] { from_json<Toy>(json); });
        }
        Json json = parsed(old_toy());
        if (json.erase(name) > 0) {
            expect_error(ErrorKind::usage, name, [&] { from_json<Toy>(json); });
        }
    }
}

TEST(Figures, AreNamesAndNumbers) {
    const std::string figures = R"({"energy_j":0.0125,"power_w":350.5})";
    EXPECT_EQ(figures_text(figures), "energy_j=0.0125 power_w=350.5");
    EXPECT_EQ(figures_json(figures).dump(), R"({"energy_j":0.0125,"power_w":350.5})");
    EXPECT_EQ(figures_text(""), "");
    EXPECT_EQ(figures_json("").dump(), "{}");
}

TEST(Figures, OfAnotherKindAreShownAsTheyAre) {
    for (const std::string text : {"7", "[1]", "{\"a\":[1]}", "{\"a\":\"b\"}", "{", "no"}) {
        EXPECT_EQ(figures_text(text), text);
        EXPECT_EQ(figures_json(text).dump(), Json(text).dump());
    }
}

}  // namespace
}  // namespace jitune::internal
