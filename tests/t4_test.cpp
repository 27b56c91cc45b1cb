#include "cli/t4.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <zlib.h>

#include "expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune {
namespace {

constexpr const char* kDocument = R"({
  "metadata": {"timeunit": "miliseconds"},
  "results": [
    {"configuration": {"block": 32, "mode": "a b", "flag": true}, "invalidity": "correct",
     "measurements": [{"name": "power", "value": 1, "unit": "W"},
                      {"name": "time", "value": 2.5, "unit": "miliseconds"}],
     "objectives": ["time"]},
    {"configuration": {"block": 64, "mode": "c", "flag": false}, "invalidity": "runtime",
     "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}]},
    {"configuration": {"block": 64, "mode": "c", "flag": true}, "invalidity": "correct",
     "measurements": [{"name": "cost", "value": 1000, "unit": "us"}], "objectives": ["cost"]},
    {"configuration": {"block": 32, "mode": "c", "flag": true},
     "measurements": [{"name": "time", "value": 1e20}]},
    {"configuration": {"block": 128, "mode": "c", "flag": true}, "invalidity": "constraints"}],
  "schema_version": "1.0.0"})";

TEST(T4, IsReadWithItsTimesAndFailures) {
    const RecordedSpace recorded = parse_t4(Json::parse(kDocument));
    const SearchSpace& space = recorded.space();
    ASSERT_EQ(space.size(), 4U);
    EXPECT_EQ(recorded.best_ns(), 1e6);
    EXPECT_EQ(space.at(0).text(), "block=32 mode=a b flag=1");
    EXPECT_EQ(recorded.time_ns(0), 2.5e6);
    EXPECT_EQ(recorded.time_ns(1), std::nullopt) << "Kernel Tuner's mark of a failure";
    EXPECT_EQ(recorded.time_ns(2), std::nullopt);
    EXPECT_EQ(recorded.time_ns(3), 1e6);
}

TEST(T4, IsRefusedWithTheReason) {
    const auto refused = [](const char* text, const char* because) {
        expect_error(ErrorKind::usage, because, [&] { parse_t4(Json::parse(text)); });
    };
    refused("[]", "a list \"results\" was expected");
    refused(R"({"results": []})", "a list \"results\" was expected");
    refused(R"({"results": [{}]})", "result 0 has no configuration");
    refused(R"({"results": [{"configuration": {"a": 1}}, {"configuration": {"b": 1}}]})",
            "result 1 has no value of parameter a");
    refused(R"({"results": [{"configuration": {"a": 1}}]})", "works");
}

TEST(T4, IsReadFromPlainAndCompressedFiles) {
    const TempDir folder;
    const auto plain = folder.path() / "plain.json";
    std::ofstream(plain) << kDocument;
    EXPECT_EQ(read_t4(plain).space().size(), 4U);
    const auto packed = folder.path() / "packed.json.gz";
    gzFile file = gzopen(packed.c_str(), "wb");
    gzputs(file, kDocument);
    gzclose(file);
    EXPECT_EQ(read_t4(packed).space().size(), 4U);

    std::filesystem::resize_file(packed, std::filesystem::file_size(packed) / 2);
    expect_error(ErrorKind::usage, packed.string(), [&] { read_t4(packed); });
    expect_error(ErrorKind::usage, "cannot open", [&] { read_t4(folder.path() / "none"); });
    std::ofstream(plain) << "{\"results\": NaN}";
    expect_error(ErrorKind::usage, plain.string(), [&] { read_t4(plain); });
}

TEST(T4, RefusesWhatItWouldReadWrongly) {
    const auto refuse = [](const char* results, const char* reason) {
        const auto document = Json::parse(std::string(R"({"results": )") + results + "}");
        expect_error(ErrorKind::usage, reason, [&] { parse_t4(document); });
    };
    refuse(R"([{"configuration": {"a": [1]}}])", "a list or an object");
    refuse(R"([{"configuration": {"a": 1}}, {"configuration": {"a": 1, "b": 2}}])",
           "more parameters");
    refuse(R"([{"configuration": {"a": 1},
                "measurements": [{"name": "time", "value": 1, "unit": "fortnights"}]}])",
           "fortnights");
}

TEST(T4, HoldsTheMeasurementsOfASweep) {
    Measurement timed;
    timed.configuration = "block=32 mode=fast";
    timed.samples_ns = {3000, 1000, 2000};
    Measurement finals = timed;
    finals.conditions = "l2=cold interleaved";
    finals.samples_ns = {9000};
    Measurement failed;
    failed.configuration = "block=64 mode=fast";
    failed.verdict = Verdict::wrong_result;
    const std::vector<Measurement> measurements{timed, failed, finals};
    const Json document = t4_document(measurements);
    EXPECT_EQ(document["results"][0]["configuration"]["block"], 32);
    EXPECT_EQ(document["results"][1]["invalidity"], "correctness");

    const RecordedSpace recorded = parse_t4(document);
    ASSERT_EQ(recorded.space().size(), 2U);
    EXPECT_EQ(recorded.time_ns(0), 2000);
    EXPECT_EQ(recorded.time_ns(1), std::nullopt);
}

}  // namespace
}  // namespace jitune
