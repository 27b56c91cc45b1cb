// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/foreign_results.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fixtures/expect_error.hpp"
#include "fixtures/fake_compiler.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kHead = R"({
"schema_version": "1.1.0", "device_name": "Some GPU", "kernel_name": "blur",
"problem_size": [640, 480], "tune_params_keys": ["block_size_x", "layout"],
"tune_params": {"block_size_x": [16, 32, 64], "layout": ["rows", "columns"]},
"objective": "time",
"cache": {)";
constexpr const char* kResults = R"(
"16,rows": {"block_size_x": 16, "layout": "rows", "time": 2.5, "times": [2.4, 2.6], "GFLOP/s": 7},
"16,columns": {"layout": "columns", "block_size_x": 16, "time": 1e20},
"32,rows": {"block_size_x": 32, "layout": "rows", "time": "CompilationFailedConfig"},
"32,columns": {"block_size_x": 32, "layout": "columns", "time": "RuntimeFailedConfig"},
"64,rows": {"block_size_x": 64, "layout": "rows", "time": "InvalidConfig"},
"64,columns": {"block_size_x": 64, "layout": "columns", "time": 0.5})";

class KernelTunerCache : public testing::Test {
protected:
    RecordedSpace read(const std::string& text) const {
        std::ofstream(file_) << text;
        return read_recorded(file_);
    }
    void expect_refused(const std::string& text, const char* why) const {
        expect_error(ErrorKind::usage, why, [&] { read(text); });
        expect_error(ErrorKind::usage, file_.string(), [&] { read(text); });
    }

    TempDir folder_;
    std::filesystem::path file_ = folder_.path() / "cache.json";
};

TEST_F(KernelTunerCache, IsReadWithItsTimesAndFailures) {
    const RecordedSpace recorded = read(std::string(kHead) + kResults + "}\n}");
    const SearchSpace& space = recorded.space();
    ASSERT_EQ(space.size(), 5U) << "without the invalid one";
    EXPECT_EQ(space.at(0).text(), "block_size_x=16 layout=columns");
    EXPECT_EQ(recorded.time_ns(0), std::nullopt);
    EXPECT_EQ(space.at(1).text(), "block_size_x=16 layout=rows");
    EXPECT_EQ(recorded.time_ns(1), 2.5e6);
    EXPECT_EQ(recorded.time_ns(2), std::nullopt);
    EXPECT_EQ(recorded.time_ns(3), std::nullopt);
    EXPECT_EQ(recorded.best_ns(), 0.5e6);
}

TEST_F(KernelTunerCache, IsReadUpToTheLastWholeResultWhereItIsNotClosed) {
    EXPECT_EQ(read(std::string(kHead) + kResults + ",").space().size(), 5U);
    EXPECT_EQ(read(std::string(kHead) + kResults + "\n").space().size(), 5U);
    EXPECT_EQ(read(std::string(kHead) + kResults + ",\n\"128,rows\": {\"block_size").space().size(),
              5U);
    expect_refused(std::string(kHead) + "\n\"16,rows\": {\"block",
                   "the JSON document is incomplete");
    expect_refused("{\"results\": [1, 2", ":1:18: the JSON document is incomplete");
}

TEST_F(KernelTunerCache, MayHaveMoreResultsThanAnObjectMayHaveMembers) {
    std::string text = kHead;
    for (int i = 0; i < 3000; ++i) {
        text += fmt::format(
            "{}\n\"{},rows\": {{\"block_size_x\": {}, \"layout\": \"{}\", "
            "\"time\": {}}}",
            i == 0 ? "" : ",", i, i % 200, i / 200, i + 1);
    }
    const RecordedSpace recorded = read(text + "}\n}");
    EXPECT_EQ(recorded.space().size(), 3000U);
    EXPECT_EQ(recorded.best_ns(), 1e6);
}

TEST_F(KernelTunerCache, IsRefusedWithTheReason) {
    const std::string head = kHead;
    expect_refused(head + "}}", "no result of a legal configuration");
    expect_refused(
        head + R"("1": {"block_size_x": 1, "layout": "rows", "time": "RuntimeFailedConfig"}}})",
        "works");
    expect_refused(head + R"("1": {"block_size_x": 1, "layout": "rows"}}})",
                   "result 0 has no \"time\"");
    expect_refused(head + R"("1": {"block_size_x": 1, "time": 1}}})",
                   "result 0 has no value for parameter layout");
    expect_refused(head + R"("1": {"block_size_x": [1], "layout": "rows", "time": 1}}})",
                   "a list or an object");
    expect_refused(head + R"("1": 2}})", "\"cache\" must be an object of objects");
    expect_refused(R"({"tune_params_keys": [1], "cache": {"1": {"a": 1}}})", "a list of texts");
    expect_refused(R"({"tune_params_keys": 1, "cache": {"1": {"a": 1}}})", "must be a list");
}

TEST_F(KernelTunerCache, IsRefusedWhereThePythonInThePathAnswersOddly) {
    for (const char* answer :
         {R"({"names": [1], "rows": [[1, 2]]})", R"({"names": ["a"], "rows": [[{}, 2]]})",
          R"({"names": ["a"], "rows": [[1]]})", R"({"names": ["a"], "rows": [1]})"}) {
        const auto python = folder_.write(
            "python3", fmt::format("#!/bin/sh\nfor word; do case $word in --answer=*) printf %s "
                                   "'{}' >\"${{word#--answer=}}\" ;; esac; done\n",
                                   answer));
        std::filesystem::permissions(python, std::filesystem::perms::owner_all);
        const Variable path("PATH", folder_.path().string());
        expect_error(ErrorKind::unavailable, "see which program it is",
                     [&] { read(std::string(kHead) + "}}"); });
    }
}

TEST_F(KernelTunerCache, HoldsTheMeasurementsOfASweep) {
    Measurement timed;
    timed.key.kernel = "blur";
    timed.provenance = {"Some GPU", "uuid", "driver", "nvrtc", "2026-11-20T16:00:00Z"};
    timed.sizes = "n=640 m=480";
    timed.configuration = "block=32 mode=fast";
    timed.samples_ns = {3e6, 1e6, 2e6};
    Measurement finals = timed;
    finals.conditions = "l2=cold interleaved";
    finals.samples_ns = {9e6};
    Measurement failed = timed;
    failed.configuration = "block=64 mode=fast";
    failed.samples_ns.clear();
    failed.verdict = Verdict::compile_failed;
    Measurement wrong = failed;
    wrong.configuration = "block=32 mode=exact";
    wrong.verdict = Verdict::wrong_result;
    Measurement again = timed;
    again.samples_ns = {4e6};
    const std::vector<Measurement> measurements{timed, failed, finals, wrong, again};
    const std::string text = kernel_tuner_cache(measurements);
    EXPECT_TRUE(text.ends_with("}\n}")) << "where Kernel Tuner goes on";

    const Json document = Json::parse(text);
    EXPECT_EQ(document["device_name"], "Some GPU");
    EXPECT_EQ(document["kernel_name"], "blur");
    EXPECT_EQ(document["problem_size"], Json::parse("[640, 480]"));
    EXPECT_EQ(document["tune_params_keys"], Json::parse(R"(["block", "mode"])"));
    EXPECT_EQ(document["tune_params"],
              Json::parse(R"({"block": [32, 64], "mode": ["fast", "exact"]})"));
    EXPECT_EQ(document["objective"], "time");
    EXPECT_EQ(document["cache"].size(), 3U);
    EXPECT_EQ(document["cache"]["32,fast"]["time"], 4.0);
    EXPECT_EQ(document["cache"]["32,fast"]["times"], Json::parse("[4.0]"));
    EXPECT_EQ(document["cache"]["32,fast"]["timestamp"], "2026-11-20T16:00:00Z");
    EXPECT_EQ(document["cache"]["64,fast"]["time"], "CompilationFailedConfig");
    EXPECT_EQ(document["cache"]["32,exact"]["time"], "RuntimeFailedConfig");
    for (const char* member : {"compile_time", "verification_time", "benchmark_time",
                               "strategy_time", "framework_time"}) {
        EXPECT_EQ(document["cache"]["64,fast"][member], 0) << member;
    }

    const RecordedSpace recorded = read(text + "\n");
    ASSERT_EQ(recorded.space().size(), 3U);
    EXPECT_EQ(recorded.best_ns(), 4e6);
    EXPECT_EQ(recorded.space().at(0).text(), "block=32 mode=exact");
    EXPECT_EQ(recorded.time_ns(0), std::nullopt);
    EXPECT_EQ(read(t4_document(measurements).dump()).space().size(), 3U);
    EXPECT_EQ(Json::parse(kernel_tuner_cache({}))["cache"].size(), 0U);
}

}  // namespace
}  // namespace jitune::internal
