// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"
#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {
namespace {

/// Commands on a database that the test itself fills.
class CliDatabase : public CliFixture {
protected:
    static RecordKey key(std::int64_t bucket = 20) {
        return {{"reduce", "element=float32 operation=sum", "cuda cc=90 sm=132", 16,
                 "0123456789abcdef0123456789abcdef"},
                bucket};
    }

    static Provenance provenance() {
        return {"NVIDIA H200", "GPU-1", "CUDA 13.0", "NVRTC 13.0", "2026-11-20T16:00:00Z"};
    }

    /// "n=1; n=3; …" with that many boxes.
    static std::string boxes(int count) {
        std::string text = "n=1";
        for (int i = 1; i < count; ++i) {
            text += fmt::format("; n={}", 2 * i + 1);
        }
        return text;
    }

    static Winner winner(const std::string& covers) {
        Winner winner;
        winner.key = key();
        winner.sizes = "n=1";
        winner.configuration = "block=256";
        winner.median_ns = 1000;
        winner.image_format = "cubin";
        winner.image = "image";
        winner.symbols = {"sum"};
        winner.provenance = provenance();
        winner.range.covers = covers;
        return winner;
    }

    static Measurement measurement(const std::string& sizes, const std::string& conditions,
                                   std::int64_t bucket = 20) {
        return {key(bucket), sizes,          "block=256",  Verdict::timed, "",
                conditions,  {1000.0, 1001}, provenance(), "fixed"};
    }

    [[nodiscard]] std::unique_ptr<TuningStore> store(const std::string& name) const {
        return TuningStore::open(path(name), TuningStore::Access::read_write, Log());
    }
};

TEST_F(CliDatabase, TextsNameTheFirstPartsOfARange) {
    store("tuning.db")->save({}, winner(boxes(500)));
    for (const std::string command : {"db list --verbose", "db show"}) {
        const std::string text = jitune(command).out;
        EXPECT_NE(text.find(boxes(8) + " and 492 more"), std::string::npos) << text;
        EXPECT_EQ(text.find(boxes(9)), std::string::npos) << text;
    }
    EXPECT_EQ(jitune_json("db list")["winners"][0]["covers"], boxes(500));
    EXPECT_EQ(jitune_json("db show")["covers"], boxes(500));
    EXPECT_EQ(jitune_json("db explain -n 999 --device host")["rows"][0]["covers"], boxes(500));
    const std::string explained = jitune("db explain -n 999 --device host").out;
    EXPECT_NE(explained.find("1 winner of other types or operations: jitune db list"),
              std::string::npos)
        << explained;
}

TEST_F(CliDatabase, AFormulaIsNamedByItsText) {
    Winner stored = winner("");
    stored.key.kernel = "map_reduce_0a1b2c3d";
    const std::string words =
        "inputs=r:float32,m:uint8 outputs=rr:float64,worst:float32 shape=flat";
    stored.key.types =
        "element=float32 formula=\"rr = sum(r * r); worst = max(fabs(r), m != 0)\" " + words;
    store("tuning.db")->save({}, stored);
    const std::string list = jitune("db list --verbose").out;
    EXPECT_NE(list.find("map_reduce_0a1b2c3d  \"rr = sum(r * r); worst = max(fabs(r), m != 0)\" "
                        "float32 r:float32,m:uint8 rr:float64,worst:float32 flat"),
              std::string::npos)
        << list;
    const std::string show = jitune("db show").out;
    EXPECT_NE(
        show.find("formula=\"rr = sum(r * r); worst = max(fabs(r), m != 0)\" element=float32 " +
                  words + "\n"),
        std::string::npos)
        << show;
    const auto explained = jitune("db explain --kernel map_reduce_0a1b2c3d -n 1000");
    EXPECT_NE(explained.code, 0);
    EXPECT_NE(
        explained.err.find("is a formula, which has no file: jitune db list and jitune db show"),
        std::string::npos)
        << explained.err;
    EXPECT_EQ(jitune_json("db list")["winners"][0]["key"]["types"], stored.key.types);
    EXPECT_EQ(jitune("db export --bundle " + path("b.db.gz")).code, 0);
    EXPECT_EQ(jitune("db merge " + path("b.db.gz") + " --into " + path("other.db")).code, 0);
    EXPECT_EQ(jitune_json("db list --db " + path("other.db"))["winners"][0]["key"]["types"],
              stored.key.types);
    EXPECT_EQ(jitune("db verify --db " + path("other.db")).code, 0);
}

TEST_F(CliDatabase, ShowMarksComparisonsAndWhatWasDisturbed) {
    store("tuning.db")
        ->save({{measurement("n=1", "l2=cold"), measurement("n=2", "l2=cold compared"),
                 measurement("n=3", "l2=cold interleaved cpu=contended")}},
               winner(boxes(8)));
    const std::string text = jitune("db show --verbose").out;
    EXPECT_NE(text.find(boxes(8) + '\n'), std::string::npos) << text;
    const auto line_of = [&](const std::string& sizes) {
        const std::string measured = text.substr(text.find("3 measurements"));
        const std::size_t at = measured.find(sizes + ' ');
        const std::size_t start = measured.rfind('\n', at) + 1;
        return measured.substr(start, measured.find('\n', at) - start);
    };
    EXPECT_EQ(line_of("n=1").find("compared"), std::string::npos) << text;
    EXPECT_NE(line_of("n=2").find("compared"), std::string::npos) << text;
    EXPECT_NE(line_of("n=3").find("interleaved"), std::string::npos) << text;
    EXPECT_NE(line_of("n=3").find("cpu=contended"), std::string::npos) << text;
    EXPECT_EQ(line_of("n=2").find("cpu=contended"), std::string::npos) << text;
    EXPECT_NE(text.find("default         not timed\n"), std::string::npos) << text;
}

TEST_F(CliDatabase, ComparisonsOfARangeAreExportedAndImported) {
    const std::vector<Measurement> measured{
        measurement("n=1", "l2=cold"), measurement("n=2", "l2=cold compared"),
        measurement("n=9", "l2=cold compared", 22), measurement("n=70", "l2=cold compared", 28),
        measurement("n=70", "l2=cold", 28)};
    store("tuning.db")->save(measured, winner("n=1..100"));
    EXPECT_EQ(jitune("db export --t4 " + path("row.json")).code, 0);
    const std::string import = "db import " + path("row.json") + " --db " + path("other.db");
    EXPECT_NE(jitune(import).out.find("4 measurements in"), std::string::npos);
    const auto other = store("other.db");
    EXPECT_EQ(other->measurements().comparisons(key()),
              store("tuning.db")->measurements().comparisons(key()));
    EXPECT_EQ(other->measurements().comparisons(key()).size(), 3U);
    EXPECT_EQ(other->measurements().of(key(28)).size(), 1U) << "the search there has its own row";
    EXPECT_NE(jitune(import).out.find(", 0 of them new"), std::string::npos);
}

TEST_F(CliDatabase, ProblemsHaveTheirOwnExitCode) {
    expect_failure("db list", 3, "jitune sweep reduce creates it, and so do an app's calls");
    const std::string default_answers =
        jitune("db explain -n 2000 --device host --tune offline").out;
    EXPECT_TRUE(default_answers.starts_with(
        "no stored winner: the template's default by the rule of reduce.host.cpp:"))
        << default_answers;
    EXPECT_EQ(jitune_json("db explain -n 1000 --device host --db none")["rows"].size(), 0U);
    EXPECT_EQ(jitune_json("db path")["exists"], false);
    ASSERT_EQ(jitune("sweep reduce --device host --sizes 2^10,2^14 --budget 0.3").code, 0);
    std::filesystem::permissions(path("tuning.db"), std::filesystem::perms(0666));
    expect_failure("db list", 3, "tuning.db");
    expect_failure("sweep reduce --device host --sizes 1000", 3, "tuning.db");
}

TEST_F(CliDatabase, VerifyFindsAChangedByte) {
    ASSERT_EQ(jitune("sweep reduce --device host --sizes 2^10,2^14 --budget 0.3").code, 0);
    const std::string text = contents(path("tuning.db"));
    const auto place = text.find("element=float32");
    ASSERT_NE(place, std::string::npos);
    std::fstream(path("tuning.db"), std::ios::in | std::ios::out | std::ios::binary)
        .seekp(static_cast<std::streamoff>(place))
        .write("elemenT", 7);
    const Answer answer = jitune("db verify");
    EXPECT_EQ(answer.code, 3) << answer.out << answer.err;
}

TEST_F(CliDatabase, VerifyListsTheJournalsOfTunings) {
    EXPECT_EQ(jitune("sweep reduce --device host --sizes 1000 --evaluations 1").code, 0);
    EXPECT_EQ(jitune_json("db verify")["journals"].size(), 0U);
    std::ofstream(path("tuning.db-sweep-1-1")) << "";
    EXPECT_EQ(jitune_json("db verify")["journals"][0]["in_use"], false);
    const std::string text = jitune("db verify").out;
    EXPECT_NE(text.find("tuning.db-sweep-1-1: the journal of a tuning that was ended"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace jitune::internal
