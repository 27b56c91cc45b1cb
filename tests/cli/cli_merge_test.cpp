// SPDX-License-Identifier: Apache-2.0
// Commands that unite, compare, share and shrink tuning databases.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fixtures/cli_fixture.hpp"
#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {
namespace {

class CliMerge : public CliFixture {
protected:
    static Winner winner(const std::string& op, std::int64_t n, const std::string& configuration,
                         const std::string& device = "NVIDIA H200") {
        Winner winner;
        winner.key = {{"reduce", "accumulator=float32 element=float32 operation=" + op,
                       "cuda cc=90 sm=132", 16, "0123456789abcdef0123456789abcdef"},
                      20};
        winner.sizes = fmt::format("n={}", n);
        winner.configuration = configuration;
        winner.median_ns = 1000;
        winner.complete = true;
        winner.image_format = "cubin";
        winner.image = "image of " + configuration;
        winner.symbols = {"sum"};
        winner.provenance = {device, "GPU-1", "CUDA 13.0", "NVRTC 13.0", "2026-11-20T16:00:00Z"};
        winner.certainty = {"l2=cold", 0.01, 1.4, 1.6};
        return winner;
    }

    static Measurement measurement(const Winner& winner, double ns) {
        return {winner.key, winner.sizes, winner.configuration, Verdict::timed, "",
                "l2=cold",  {ns},         winner.provenance,    "fixed"};
    }

    void fill(const std::string& name, const Winner& winner) {
        const std::vector<Measurement> measurements{measurement(winner, 1000),
                                                    measurement(winner, 1001)};
        TuningStore::open(path(name), TuningStore::Access::read_write, Log())
            ->save(measurements, winner);
    }

    json list(const std::string& name, const std::string& filters = "") {
        return jitune_json("db list " + filters + " --db " + path(name))["winners"];
    }
};

TEST_F(CliMerge, BringsWinnersWithoutCodeUnlessItIsTrusted) {
    fill("a.db", winner("sum", 100, "block=1"));
    fill("b.db", winner("max", 100, "block=2"));
    const std::string merge = "db merge " + path("b.db") + " --into " + path("a.db");
    const Answer dry = jitune(merge + " --dry-run");
    EXPECT_NE(dry.out.find("2 new measurements and 1 new winner would come"), std::string::npos)
        << dry.out;
    EXPECT_EQ(list("a.db").size(), 1U);
    EXPECT_NE(jitune(merge).out.find("1 winner has no code"), std::string::npos);
    ASSERT_EQ(list("a.db").size(), 2U);
    EXPECT_EQ(list("a.db", "--op max")[0]["image_format"], "none");
    EXPECT_TRUE(list("a.db", "--op max")[0]["unsure"]);
    EXPECT_NE(jitune(merge).out.find("nothing new"), std::string::npos);
    EXPECT_NE(jitune("db undo --db " + path("a.db")).out.find("took back the merge of b.db"),
              std::string::npos);
    EXPECT_EQ(list("a.db").size(), 1U);
    const json trusted = jitune_json(merge + " --trust-binaries");
    EXPECT_EQ(trusted["merges"][0]["winners"], 1);
    EXPECT_EQ(list("a.db", "--op max")[0]["image_format"], "cubin");
    const json shown = jitune_json("db show --op max --db " + path("a.db"));
    EXPECT_NE(std::string(shown["merged"]).find("by merge 1 of b.db, 20"), std::string::npos);
}

TEST_F(CliMerge, ChangesNothingWhereOneFileIsNoDatabase) {
    fill("b.db", winner("max", 100, "block=2"));
    std::ofstream(path("text.txt")) << "hello";
    expect_failure("db merge " + path("b.db") + " " + path("text.txt") + " --into " + path("a.db"),
                   3, "text.txt");
    expect_failure("db merge " + path("b.db") + " " + path("none.db") + " --into " + path("a.db"),
                   3, "cannot read the tuning database");
    EXPECT_FALSE(std::filesystem::exists(path("a.db")));
    expect_failure("db merge " + path("b.db") + " --into " + path("b.db"), 3, "into itself");
    expect_failure("db merge --into " + path("b.db"), 2, "FILE");
}

TEST_F(CliMerge, ABundleHoldsWhatTheFilterChooses) {
    fill("a.db", winner("sum", 100, "block=1"));
    fill("a.db", winner("max", 100, "block=2"));
    EXPECT_EQ(
        jitune("db export --op max --bundle " + path("max.db.gz") + " --db " + path("a.db")).out,
        path("max.db.gz") + ": 1 winner and 2 measurements\n");
    EXPECT_EQ(
        jitune("db merge --trust-binaries " + path("max.db.gz") + " --into " + path("c.db")).code,
        0);
    ASSERT_EQ(list("c.db").size(), 1U);
    EXPECT_EQ(list("c.db")[0]["configuration"], "block=2");
    EXPECT_EQ(list("c.db")[0]["id"], list("a.db", "--op max")[0]["id"]) << "ids travel";
    EXPECT_EQ(jitune("db import " + path("max.db.gz") + " --db " + path("d.db")).code, 0);
    EXPECT_EQ(list("d.db")[0]["image_format"], "none");
    std::string damaged = contents(path("max.db.gz"));
    std::ofstream(path("short.db.gz")) << damaged.substr(0, damaged.size() / 2);
    expect_failure("db merge " + path("short.db.gz") + " --into " + path("e.db"), 3,
                   "cannot unpack the bundle");
    expect_failure("db export --bundle " + path("a.db") + " --db " + path("a.db"), 2,
                   "name another file");
    expect_failure("db export --db " + path("a.db"), 2, "--bundle, --kernel-tuner, --lines, --t4");
    expect_failure("db export --bundle /nowhere/x.db.gz --db " + path("a.db"), 2, "/nowhere");
}

TEST_F(CliMerge, LinesAreOneTableOfWinnersAndMeasurements) {
    fill("a.db", winner("sum", 100, "block=1"));
    const std::string text = jitune("db export --lines - --db " + path("a.db")).out;
    std::istringstream lines(text);
    std::vector<json> rows;
    for (std::string line; std::getline(lines, line);) {
        rows.push_back(json::parse(line));
    }
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0]["record"], "winner");
    EXPECT_EQ(rows[0]["kernel"], "reduce");
    EXPECT_EQ(rows[1]["record"], "measurement");
    EXPECT_EQ(rows[1]["median_ns"], 1000);
    EXPECT_EQ(rows[1]["device_name"], "NVIDIA H200");
}

TEST_F(CliMerge, DiffTellsWhatBothDoNotHaveInCommon) {
    fill("a.db", winner("sum", 100, "block=1"));
    fill("b.db", winner("sum", 100, "block=1"));
    const std::string diff = "db diff " + path("a.db") + " " + path("b.db");
    EXPECT_EQ(jitune_json(diff)["winners"].size(), 0U);
    EXPECT_EQ(jitune_json(diff)["measurements"]["both"], 2);
    fill("a.db", winner("max", 100, "block=2"));
    fill("b.db", winner("sum", 200, "block=3"));
    const json differences = jitune_json(diff);
    ASSERT_EQ(differences["winners"].size(), 2U);
    EXPECT_EQ(differences["winners"][0]["in"], "first");
    EXPECT_EQ(differences["winners"][1]["in"], "second");
    EXPECT_EQ(differences["same_winners"], 1);
    const std::string text = jitune(diff).out;
    EXPECT_NE(text.find("<  "), std::string::npos) << text;
    EXPECT_NE(text.find("winners: 2 differ, 1 are the same"), std::string::npos) << text;
}

TEST_F(CliMerge, PinsAndDeletesByIdAndByFilter) {
    fill("a.db", winner("sum", 100, "block=1"));
    fill("a.db", winner("max", 100, "block=2"));
    fill("a.db", winner("min", 100, "block=3"));
    const std::string in = " --db " + path("a.db");
    const std::string id = list("a.db", "--op sum")[0]["id"];
    EXPECT_NE(jitune("db pin " + id.substr(0, 6) + in).out.find("pinned: " + id.substr(0, 8)),
              std::string::npos);
    EXPECT_TRUE(list("a.db", "--op sum")[0]["pinned"]);
    EXPECT_NE(jitune("db list" + in).out.find("* is pinned"), std::string::npos);
    expect_failure("db delete" + in, 2, "nothing says which winners");
    EXPECT_NE(jitune("db delete --op max --dry-run" + in).out.find("would delete"),
              std::string::npos);
    EXPECT_EQ(list("a.db").size(), 3U);
    EXPECT_EQ(jitune("db delete --op max --measurements" + in).code, 0);
    EXPECT_EQ(list("a.db").size(), 2U);
    EXPECT_EQ(jitune_json("db verify" + in)["measurements"], 4);
    EXPECT_EQ(jitune("db unpin " + id + in).code, 0);
    EXPECT_FALSE(list("a.db", "--op sum")[0]["pinned"]);
    expect_failure("db delete --all --op sum" + in, 2, "--all");
    EXPECT_EQ(jitune("db delete --all" + in).code, 0);
    EXPECT_EQ(list("a.db").size(), 0U);
}

TEST_F(CliMerge, CallsUseTrustedCodeAndRaceTheRest) {
    const auto sweep = [&](const std::string& database) {
        return jitune_json(
            "sweep reduce --device host --types float32 --ops sum --sizes 5000 "
            "--budget 0.05 --db " +
            path(database));
    };
    const json tuned = sweep("b.db")["rows"][0];
    for (const std::string name : {"trusted.db", "other.db"}) {
        EXPECT_EQ(jitune("db merge " + path("b.db") + " --into " + path(name) +
                         (name == "trusted.db" ? " --trust-binaries" : ""))
                      .code,
                  0);
    }
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (5000,), }";
    header.resize(117, ' ');
    std::ofstream(path("x.npy"), std::ios::binary)
        << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header << '\n'
        << std::string(20000, '\0');
    const std::string reduce = "reduce " + path("x.npy") + " --device host --db ";
    const json served = jitune_json(reduce + path("trusted.db"));
    EXPECT_EQ(served["origin"], "stored");
    EXPECT_EQ(served["configuration"], tuned["configuration"]);
    EXPECT_EQ(served["compiles"], 0);
    EXPECT_NE(jitune_json(reduce + path("other.db") + " --tune offline")["origin"], "stored");
    sweep("other.db");
    const json raced = jitune_json(reduce + path("other.db") + " --tune offline");
    EXPECT_EQ(raced["origin"], "stored") << "compiled here, and raced";
    EXPECT_EQ(list("other.db").size(), 1U) << "in the place of the row without code";
}

TEST_F(CliMerge, DoesNotPinWhatDoesNotServe) {
    fill("b.db", winner("max", 100, "block=2"));
    EXPECT_EQ(jitune("db merge " + path("b.db") + " --into " + path("a.db")).code, 0);
    expect_failure("db pin --op max --db " + path("a.db"), 2, "has no code");
}

TEST_F(CliMerge, PruneDeletesDeadRowsAndOldMeasurements) {
    fill("a.db", winner("sum", 100, "block=1"));
    Winner own = winner("sum", 100, "block=1");
    own.key.kernel = "my_kernel";
    fill("a.db", own);
    const std::string in = " --db " + path("a.db");
    EXPECT_EQ(jitune_json("db prune" + in)["winners"], 0);
    EXPECT_EQ(jitune_json("db prune --measurements 1 --dry-run" + in)["measurements"], 2);
    EXPECT_EQ(jitune_json("db prune --measurements 1" + in)["measurements"], 2);
    const json old = jitune_json("db prune --old-templates" + in);
    EXPECT_EQ(old["winners"], 1) << "a template that this build does not have";
    EXPECT_EQ(old["measurements"], 1);
    EXPECT_EQ(list("a.db")[0]["key"]["kernel"], "my_kernel");
    EXPECT_EQ(jitune_json("db prune --other-devices" + in)["winners"], 1);
    EXPECT_NE(jitune("db compact" + in).out.find(", was "), std::string::npos);
}

TEST_F(CliMerge, PruneKeepsTheFileBelowASize) {
    const Winner one = winner("sum", 100, "block=1");
    std::vector<Measurement> many;
    for (int i = 0; i < 5000; ++i) {
        many.push_back(measurement(one, 1000 + i));
    }
    TuningStore::open(path("a.db"), TuningStore::Access::read_write, Log())->save(many, one);
    ASSERT_GT(std::filesystem::file_size(path("a.db")), 2'000'000U);
    EXPECT_EQ(jitune("db prune --max-size 1M --db " + path("a.db")).code, 0);
    EXPECT_LE(std::filesystem::file_size(path("a.db")), 1'000'000U);
    EXPECT_GT(jitune_json("db verify --db " + path("a.db"))["measurements"], 500);
    EXPECT_EQ(list("a.db").size(), 1U) << "winners stay";
}

}  // namespace
}  // namespace jitune::internal
