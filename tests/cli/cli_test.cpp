// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "fixtures/cli_fixture.hpp"
#include "sizes/size_box.hpp"
#include "text/units.hpp"

namespace jitune::internal {
namespace {

class CliTest : public CliFixture {
protected:
    /// Tunes two small sums on the host, quickly.
    [[nodiscard]] json small_sweep() const {
        return jitune_json("sweep reduce --device host --sizes 2^10,2^14 --budget 0.3");
    }
};

TEST_F(CliTest, HelpPrintsTheTables) {
    const Answer answer = jitune("--help");
    EXPECT_EQ(answer.code, 0);
    for (const char* word : {"devices", "sweep", "reduce", "db", "exhaustive", "random", "130"}) {
        EXPECT_NE(answer.out.find(word), std::string::npos) << word;
    }
    EXPECT_NE(jitune("sweep reduce --help").out.find("--sizes"), std::string::npos);
    const std::regex version(
        "jitune [0-9.]+ \\(commit ([0-9a-f]{7,}|unknown), backends: .*host\\)\n"
        "database schema [0-9]+, SQLite [0-9.]+, CUDA headers ([0-9]+\\.[0-9]+|none), compiled by "
        "(g\\+\\+|clang) .+\n");
    EXPECT_TRUE(std::regex_match(jitune("--version").out, version)) << jitune("--version").out;
}

TEST_F(CliTest, DevicesNameTheHost) {
    const auto devices = jitune_json("devices")["devices"];
    EXPECT_TRUE(std::any_of(devices.begin(), devices.end(), [](const json& device) {
        return device["id"] == "host" && device["usable"] == true;
    }));
    EXPECT_NE(jitune("devices").out.find("host"), std::string::npos);
}

TEST_F(CliTest, BadArgumentsAreOneLineThatNamesGoodOnes) {
    expect_failure(
        "", 2,
        "devices, check, tune, source, sweep, reduce, entropy, stencil, replay, worklist, "
        "report, stats, db");
    expect_failure("swep", 2,
                   "\"swep\" was not expected; jitune takes one of the commands devices");
    expect_failure("sweep", 2, "jitune sweep takes one of the commands reduce");
    expect_failure("worklist", 2, "show, export, import, clear");
    expect_failure(
        "db", 2,
        "list, show, coverage, explain, rules, verify, digest, export, import, merge, undo");
    expect_failure("sweep reduce --size 3", 2, "--sizes");
    expect_failure("sweep reduce --sizes", 2, "--sizes");
    expect_failure("sweep reduce --sizes 2^10..2^8", 2, "2^10..2^28");
    expect_failure("sweep reduce --types float8", 2, "float64");
    expect_failure("sweep reduce --ops median", 2, "max");
    expect_failure("sweep reduce --ops custom", 2, "--custom FILE.toml");
    expect_failure("sweep reduce --ops sum,any --result float64", 2, "any of float32");
    expect_failure("sweep reduce --determinism pinned", 2, "--configuration");
    expect_failure("sweep reduce --shape cube", 2, "segments");
    expect_failure("sweep reduce --shape rows --sizes 2^20", 2, "1024x65536");
    expect_failure("sweep reduce --shape columns --sizes 2^21x2^20", 2, "2^40");
    expect_failure("sweep reduce --device tpu", 2, "host");
    for (const char* command : {"sweep reduce", "sweep worklist"}) {
        expect_failure(std::string(command) + " --device auto", 2, "Leave --device out");
    }
    expect_failure("sweep reduce --device host --strategy luck", 2, "random");
    expect_failure("sweep reduce --budget -1", 2, "--budget");
    expect_failure("sweep reduce --evaluations -1", 2, "--evaluations");
    expect_failure("sweep reduce --target 1e308s", 2, "--target");
    expect_failure("sweep reduce --hang-limit nan", 2, "--hang-limit");
    expect_failure("sweep reduce --seed x", 2, "2^64-1");
    expect_failure("sweep reduce --target fast", 2, "12.5us");
    expect_failure("sweep reduce --hang-limit 0", 2, "--hang-limit");
    expect_failure("devices --log loud", 2, "warning");
    expect_failure("reduce", 2, "FILE");
    expect_failure("db explain", 2, "--size");
    expect_failure("db explain -n 8x8", 2, "8x8");
    expect_failure("db explain -n 2^10..2^12", 2, "db explain takes one size");
    expect_failure("db explain -n 8 --shape rows", 2, "1024x65536");
    expect_failure("db explain -n 8 --shape cube", 2, "columns");
    expect_failure("db explain -n 8 --type int128", 2, "int64");
    expect_failure("db explain -n 8 --op mean --type int8 --result float32", 2, "float64");
    expect_failure("db explain -n 8 --determinism pinned", 2, "run_to_run");
    expect_failure("db explain -n 8 --kernel sort", 2, "reduce, stencil, entropy");
    expect_failure("db explain -n 8 --op sum,max", 2, "one of each");
    expect_failure("db explain -n 8 --radius 3", 2, "--radius goes with --kernel stencil");
    expect_failure("db explain -n 8x8 --kernel entropy --op max", 2, "about entropy");
    expect_failure("db list --db none", 2, "--db");
    expect_failure("db list one two three", 2, "not expected: two three");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "tuning.db"));
}

TEST_F(CliTest, ASweepStoresWinnersThatTheDatabaseCommandsShow) {
    const json sweep = small_sweep();
    ASSERT_EQ(sweep["rows"].size(), 2U);
    EXPECT_FALSE(sweep["interrupted"]);
    for (const json& row : sweep["rows"]) {
        EXPECT_EQ(row["outcome"], "tuned");
        EXPECT_GE(row["evaluated"], 1);
        EXPECT_LE(row["evaluated"], row["space"]);
        EXPECT_GE(row["speed_up"], 1.0);
    }
    const json list = jitune_json("db list");
    ASSERT_EQ(list["winners"].size(), 2U);
    EXPECT_EQ(list["winners"][1]["configuration"], sweep["rows"][1]["configuration"]);
    const json shown = jitune_json("db show --type float32 --op sum -n 2^14");
    EXPECT_EQ(shown["configuration"], sweep["rows"][1]["configuration"]);
    EXPECT_GE(shown["measurements"].size(), sweep["rows"][1]["evaluated"]);
    EXPECT_EQ(shown["half_octaves"], json({{"n", 28}}));
    EXPECT_EQ(shown["reproducibility"], "fixed");
    const std::string id = list["winners"][1]["id"];
    const std::string text = jitune("db show " + id.substr(0, 8)).out;
    EXPECT_NE(text.find("tuned at        n=16384\nserves          n="), std::string::npos) << text;
    EXPECT_NE(text.find("reproducibility fixed"), std::string::npos) << text;
    EXPECT_EQ(jitune_json("db show " + id), shown);
    EXPECT_EQ(jitune_json("db verify")["winners"], 2);
    EXPECT_EQ(jitune_json("db path")["path"], path("tuning.db"));
    expect_failure("db show", 2,
                   "2 winners match: name one by its id (" +
                       std::string(list["winners"][0]["id"]).substr(0, 8) + ": reduce float32 ");
    const std::string export_to = "db export --t4 \"$folder/row.json\" ";
    expect_failure(export_to, 2, "2 winners match");
    EXPECT_EQ(jitune(export_to + "-n 2^14").code, 0);
    const std::string exported = contents(path("row.json"));
    EXPECT_EQ(jitune(export_to + id).code, 0);
    EXPECT_EQ(contents(path("row.json")), exported);
    expect_failure("db export " + id + " --t4 \"$folder/tuning.db\"", 2, "name another file");
    expect_failure("db show 3", 2, "\"3\" is no winner's id");
    expect_failure("db show xyzzy", 2, "at least 4 of the digits");
    expect_failure("db show " + id + " --op max", 2, "no winner");
    expect_failure("db show --op max", 2, "no winner");
    EXPECT_EQ(jitune_json("db list --limit 1 --skip 1")["winners"].size(), 1U);
    EXPECT_EQ(jitune_json("db list -n 2^14")["winners"].size(), 1U);
    EXPECT_EQ(jitune_json("db list --accumulator float64")["winners"].size(), 0U);
    expect_failure("db list --accumulator float46", 2, "--accumulator");
    expect_failure("db list --limit -1", 2, "0 or more");
}

TEST_F(CliTest, ExplainTellsWhichWinnerServes) {
    static_cast<void>(small_sweep());
    const json near = jitune_json("db explain -n 2^10 --device host");
    ASSERT_EQ(near["rows"].size(), 2U);
    EXPECT_TRUE(near["rows"][0]["serves"]);
    EXPECT_FALSE(near["rows"][1]["serves"]);
    EXPECT_GT(near["rows"][1]["octaves"], 0.0);
    EXPECT_LE(near["rows"][1]["octaves"], 4.0);
    EXPECT_EQ(near["half_octaves"], json({{"n", 20}}));
    EXPECT_EQ(near["rows"][0]["reproducibility"], "fixed");
    EXPECT_EQ(near["settings"][0]["name"], "cores_per_thread");
    EXPECT_NE(near["settings"][0]["meaning"].get<std::string>().find("processors"),
              std::string::npos);
    EXPECT_NE(jitune("db explain -n 2^10 --device host").out.find("processors for each thread"),
              std::string::npos);
    EXPECT_NE(jitune("db explain -n 2^10 --device host --verbose").out.find("fixed"),
              std::string::npos);
    EXPECT_NE(jitune("db explain -n 2^10 --op max --device host").out.find("no"),
              std::string::npos);
    EXPECT_EQ(jitune_json("db explain --kernel entropy -n 8x8 --device host")["rows"].size(), 0U);
}

TEST_F(CliTest, ASweepPrintsOneRowForEachProblem) {
    const Answer answer =
        jitune("sweep reduce --device host --sizes 1000,2000 --ops sum,max --budget 0.2");
    EXPECT_EQ(answer.code, 0) << answer.err;
    const auto has = [&](const char* text) { return answer.out.find(text) != std::string::npos; };
    std::istringstream lines(answer.out);
    int rows = 0;
    for (std::string line; std::getline(lines, line);) {
        rows += line.starts_with("float32 ") ? 1 : 0;
    }
    EXPECT_EQ(rows, 4) << answer.out;
    EXPECT_TRUE(has("\ngained: ")) << answer.out;
    EXPECT_TRUE(answer.out.ends_with(" % of the sizes are served for sure\n")) << answer.out;
    EXPECT_NE(answer.out.find("stored in"), std::string::npos);
}

TEST_F(CliTest, TablesFitIntoAPipeAndHaveALineForAProblem) {
    for (const std::string sizes : {"1000..9000", "20000"}) {
        EXPECT_EQ(jitune("sweep reduce --device host --sizes " + sizes + " --budget 0.3").code, 0);
    }
    const auto longest = [&](const std::string& command) {
        std::istringstream lines(jitune(command).out);
        std::size_t most = 0;
        for (std::string line; std::getline(lines, line);) {
            // The answer in the first lines, and the legend, are no table.
            const bool is_table = line.find(": ") == std::string::npos && !line.starts_with('?');
            most = std::max(most, is_table ? columns_of(line) : 0);
        }
        return most;
    };
    for (const std::string command : {"db list", "db explain -n 5000 --device host"}) {
        EXPECT_LE(longest(command), 80U) << jitune(command).out;
        EXPECT_GT(longest(command + " --verbose"), 80U) << jitune(command + " --verbose").out;
        EXPECT_GT(shell("COLUMNS=300 \"$jitune\" " + command).out.size(),
                  jitune(command).out.size());
    }
    const std::string list = jitune("db list").out;
    EXPECT_NE(list.find("\n1 problem, "), std::string::npos) << list;
    EXPECT_NE(list.find(" winners  reduce  float32 sum run_to_run  n=1000..20000"),
              std::string::npos)
        << list;
}

TEST_F(CliTest, ASweepTakesAnyTypeAndOperation) {
    const auto sweep = [&](const std::string& options) {
        return jitune_json("sweep reduce --device host --sizes 1000 --budget 0.2 " + options);
    };
    const json truth = sweep("--types int8 --ops any --determinism any");
    EXPECT_EQ(truth["determinism"], "any");
    ASSERT_EQ(truth["rows"].size(), 1U);
    EXPECT_EQ(truth["rows"][0]["outcome"], "tuned");
    EXPECT_EQ(truth["rows"][0]["type"], "int8");
    EXPECT_EQ(truth["rows"][0]["result"], "uint8");
    EXPECT_EQ(truth["rows"][0]["shape"], "all");
    const json mean = sweep("--types float16 --ops mean --result float64");
    ASSERT_EQ(mean["rows"].size(), 1U);
    EXPECT_EQ(mean["rows"][0]["outcome"], "tuned");
    EXPECT_EQ(mean["rows"][0]["result"], "float64");
    const auto explained = [&](const std::string& options) {
        return jitune_json("db explain --device host -n 1000 " + options)["rows"][0]["serves"];
    };
    EXPECT_EQ(explained("--type float16 --op mean --result float64"), true);
    EXPECT_EQ(explained("--type float16 --op mean"), false);
    EXPECT_EQ(explained("--type int8 --op any --determinism any"), true);
    EXPECT_EQ(explained("--type int8 --op any"), false);
}

TEST_F(CliTest, ASweepEndsAtItsEvaluationsOrTargetAndGoesOnLater) {
    const std::string sweep =
        "sweep reduce --device host --sizes 1000 --budget 0 --strategy exhaustive";
    const json two = jitune_json(sweep + " --evaluations 2")["rows"][0];
    EXPECT_EQ(two["evaluated"], 2);
    EXPECT_EQ(two["complete"], false);
    EXPECT_EQ(jitune_json(sweep + " --evaluations 2")["rows"][0]["evaluated"], 2);
    EXPECT_EQ(jitune_json(sweep + " --target 1s")["rows"][0]["evaluated"], 2);
    const json all = jitune_json(sweep + " --no-isolation")["rows"][0];
    EXPECT_EQ(all["evaluated"], all["space"]);
    EXPECT_EQ(all["complete"], true);
    const Answer repeated = jitune(sweep);
    EXPECT_EQ(repeated.code, 0) << repeated.err;
    if (all["provisional"]) {  // disturbed: it is tuned again, or kept after the tries above
        EXPECT_NE(repeated.out.find(" 0 not started, 0 failed"), std::string::npos) << repeated.out;
        return;
    }
    EXPECT_NE(repeated.out.find("skipped: complete"), std::string::npos) << repeated.out;
    EXPECT_NE(repeated.out.find("0 tuned, 1 skipped, 0 not started, 0"), std::string::npos)
        << repeated.out;
    const json kept = jitune_json(sweep)["rows"][0];
    EXPECT_EQ(kept["outcome"], "skipped");
    EXPECT_EQ(kept["configuration"], all["configuration"]);
    EXPECT_EQ(kept["median_ns"], all["median_ns"]);
    const json shown = jitune_json("db show");
    const auto measurements = shown["measurements"].get<std::vector<json>>();
    EXPECT_EQ(static_cast<std::size_t>(all["space"]),
              static_cast<std::size_t>(
                  std::count_if(measurements.begin(), measurements.end(), [](const json& one) {
                      const std::string conditions = one["conditions"];
                      return conditions.find("interleaved") == std::string::npos;
                  })));
    const json again = jitune_json(sweep + " --again")["rows"][0];
    EXPECT_EQ(again["outcome"], "tuned");
    EXPECT_EQ(again["evaluated"], again["space"]);
}

TEST_F(CliTest, ASweepOfARangeServesItsSizesByOneWinnerEach) {
    const json all =
        jitune_json("sweep reduce --device host --sizes 1000..3000 --budget 0 --evaluations 3");
    std::vector<SizeBox> boxes;
    for (const json& range : all["rows"][0]["ranges"]) {
        const auto its = parse_coverage(std::string(range["serves"]));
        ASSERT_TRUE(its) << range["serves"];
        boxes.insert(boxes.end(), its->begin(), its->end());
    }
    ASSERT_FALSE(boxes.empty());
    for (std::int64_t n = 1000; n <= 3000; ++n) {
        EXPECT_LE(std::count_if(boxes.begin(), boxes.end(),
                                [&](const SizeBox& box) { return box.contains(Sizes{n}); }),
                  1)
            << n << ": none if the default was faster when the winner was timed for the last time";
    }
    const json explained = jitune_json("db explain --device host --tune offline -n " +
                                       std::to_string(boxes.front().from[0]));
    EXPECT_EQ(explained["rows"][0]["octaves"], 0) << explained;
}

TEST_F(CliTest, AnInterruptedSweepKeepsWhatItHas) {
    const Answer answer = shell(
        "\"$jitune\" sweep reduce --device host --budget 0 --strategy exhaustive "
        "--sizes '2^10..2^28*2' >\"$folder/rows\" &\n"
        "until grep -q ^float32 \"$folder/rows\"; do sleep 0.1; done\n"
        "kill -INT $!; wait $!");
    EXPECT_EQ(answer.code, 130) << answer.err;
    EXPECT_NE(contents(path("rows")).find("incomplete"), std::string::npos);
    EXPECT_EQ(jitune_json("db verify")["problems"].size(), 0U);
    EXPECT_GE(jitune_json("db list")["winners"].size(), 1U);  // and one of the problem under way
}

TEST_F(CliTest, ASweepCanBeExportedAndReplayed) {
    static_cast<void>(
        jitune_json("sweep reduce --device host --sizes 2^14 --budget 0 --evaluations 6"));
    EXPECT_EQ(jitune("db export -n 2^14 --t4 " + path("sweep.json")).code, 0);
    const json replayed = jitune_json("replay " + path("sweep.json") +
                                      " --strategy surrogate --budget 20 --repeats 3");
    EXPECT_EQ(replayed["strategy"], "surrogate");
    EXPECT_EQ(replayed["budget"], 20);
    EXPECT_EQ(replayed["repeats"], 3);
    EXPECT_GE(replayed["median_ratio"], 1.0);
    EXPECT_GT(replayed["configurations"], 1);
    const std::string replay = "replay " + path("sweep.json") + " --repeats 4";
    const json near = jitune_json(replay)["median_evaluations_to_5_percent"];
    const std::string text = jitune(replay).out;
    EXPECT_NE(text.find("best time found"), std::string::npos);
    EXPECT_NE(text.find(fmt::format("after {:g} evaluations", near.get<double>())),
              std::string::npos)
        << text;
    expect_failure("replay " + path("sweep.json") + " --strategy luck", 2, "surrogate");
    expect_failure("replay " + path("none"), 2, "cannot open");
    const std::string whole = jitune("replay " + path("sweep.json") +
                                     " --strategy exhaustive --repeats 1 --budget 1000000")
                                  .out;
    EXPECT_NE(whole.find(fmt::format(", {} evaluations", replayed["configurations"].get<int>())),
              std::string::npos)
        << whole;
    EXPECT_EQ(jitune("db export -n 2^14 --kernel-tuner " + path("cache.json")).code, 0);
    EXPECT_EQ(jitune_json("replay " + path("cache.json"))["configurations"],
              replayed["configurations"]);
    expect_failure("db export 3 --t4 " + path("other.json"), 2, "no winner's id");
}

TEST_F(CliTest, ReplayRefusesMoreThanItCanRemember) {
    json results = json::array();
    for (int i = 0; i < 40 * 40; ++i) {
        results.push_back({{"configuration", {{"a", i / 40}, {"b", i % 40}}},
                           {"measurements", json::array({{{"name", "time"}, {"value", 1}}})}});
    }
    std::ofstream(path("t4.json")) << json{{"results", results}}.dump();
    expect_failure("replay " + path("t4.json") + " --repeats 100000 --budget 1000000", 2,
                   "lower --repeats or --budget");
}

TEST_F(CliTest, WhatWasExportedCanBeImportedAndGoneOnWith) {
    const std::string sweep = "sweep reduce --device host --sizes 2^14 --strategy exhaustive ";
    const json before = jitune_json(sweep + "--evaluations 4")["rows"][0];
    EXPECT_EQ(jitune("db export --t4 " + path("row.json")).code, 0);
    const std::string other = " --db " + path("other.db");
    const Answer imported = jitune("db import " + path("row.json") + other);
    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_NE(jitune("db import " + path("row.json") + other).out.find(" 0 of them new"),
              std::string::npos);
    EXPECT_EQ(jitune_json("db verify" + other)["problems"].size(), 0U);
    const json after = jitune_json(sweep + "--evaluations 5" + other)["rows"][0];
    EXPECT_EQ(before["evaluated"], 4);
    EXPECT_EQ(after["evaluated"], 5) << "4 of them known";
    const Answer log = jitune(sweep + "--evaluations 3 --log info --from " + path("row.json"));
    EXPECT_EQ(log.code, 0) << log.err;
    expect_failure("db import " + path("none"), 2, "cannot open");
    expect_failure("db import " + path("row.json") + " --db none", 2, "--db");
}

TEST_F(CliTest, AReaderThatGoesAwayIsNoError) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    const Answer answer = jitune(fmt::format("--help >&{}", ends[1]));
    ::close(ends[1]);
    EXPECT_EQ(answer.code, 141);
    EXPECT_EQ(answer.err, "");
    EXPECT_EQ(jitune("--help >/dev/full").code, 2);
}

}  // namespace
}  // namespace jitune::internal
