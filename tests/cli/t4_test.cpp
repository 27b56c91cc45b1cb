// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/foreign_results.hpp"

#include <fstream>

#include <gtest/gtest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "cli/db/export_file.hpp"
#include "fixtures/expect_error.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
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

RecordedSpace read_t4(const std::string& text) {
    const TempDir folder;
    return read_recorded(folder.write("t4.json", text));
}

TEST(T4, IsReadWithItsTimesAndFailures) {
    const RecordedSpace recorded = read_t4(kDocument);
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
        expect_error(ErrorKind::usage, because, [&] { read_t4(text); });
    };
    refused("[]", "an object with a list \"results\"");
    refused(R"({"results": []})", "an object with a list \"results\"");
    refused(R"({"results": [{}]})", "result 0 has no configuration");
    refused(R"({"results": [{"configuration": {"a": 1}}, {"configuration": {"b": 1}}]})",
            "result 1 has no value for parameter a");
    refused(R"({"results": [{"configuration": {"a": 1}}]})", "works");
}

TEST(T4, IsReadFromPlainAndCompressedFiles) {
    const TempDir folder;
    const auto plain = folder.path() / "plain.json";
    std::ofstream(plain) << kDocument;
    EXPECT_EQ(read_recorded(plain).space().size(), 4U);
    const auto packed = folder.path() / "packed.json.gz";
    gzFile file = gzopen(packed.c_str(), "wb");
    gzputs(file, kDocument);
    gzclose(file);
    EXPECT_EQ(read_recorded(packed).space().size(), 4U);

    std::filesystem::resize_file(packed, std::filesystem::file_size(packed) / 2);
    expect_error(ErrorKind::usage, packed.string(), [&] { read_recorded(packed); });
    expect_error(ErrorKind::usage, "cannot open", [&] { read_recorded(folder.path() / "none"); });
}

TEST(T4, ATextThatIsNotJsonIsRefusedWithItsPlace) {
    const TempDir folder;
    const auto file = folder.path() / "bad.json";
    const auto refused = [&](const std::string& text, const std::string& complaint) {
        std::ofstream(file) << text;
        expect_error(ErrorKind::usage, file.string() + complaint, [&] { read_recorded(file); });
    };
    refused("{\"results\":\n  NaN}", ":2:3: invalid JSON from here on: \"NaN}\"");
    refused("{\"results\": [1, 2", ":1:18: the JSON document is incomplete");
    refused("", ":1:1: the JSON document is incomplete");
    refused("[1e999]", ": a number is too large");
    refused(std::string("\x7f") + "ELF", ":1:1: invalid JSON from here on: \"ELF\"");
    refused("[1]", ": T4: the document must be an object with a list");
    expect_error(ErrorKind::usage, "cannot read", [&] { read_recorded(folder.path()); });
}

TEST(T4, RefusesValuesThatItCannotRepresent) {
    const auto refuse = [](const char* results, const char* reason) {
        const std::string document = std::string(R"({"results": )") + results + "}";
        expect_error(ErrorKind::usage, reason, [&] { read_t4(document); });
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

    const RecordedSpace recorded = read_t4(document.dump());
    ASSERT_EQ(recorded.space().size(), 2U);
    EXPECT_EQ(recorded.time_ns(0), 2000);
    EXPECT_EQ(recorded.time_ns(1), std::nullopt);
}

class ExportFile : public testing::Test {
protected:
    ExportFile() {
        timed_.key = {{"sum", "element=int32", "host x", 4, std::string(32, 'a')}, 20};
        timed_.sizes = "n=1000";
        timed_.configuration = "block=32 items=1";
        timed_.samples_ns = {0.1, 1e3 / 3};
        timed_.provenance = {"CPU", "uuid", "driver", "g++", "2026-11-20T16:00:00Z"};
        timed_.conditions = "l2=warm interleaved";
        failed_ = timed_;
        failed_.configuration = "block=64 items=1";
        failed_.verdict = Verdict::crashed;
        failed_.samples_ns.clear();
        failed_.reason = "signal 11";
        failed_.reproducibility = "any";
        compared_ = timed_;
        compared_.key.bucket += 4;
        compared_.conditions = "l2=warm compared";
    }
    Json document() const {
        return Json::parse(export_document(std::vector{timed_, failed_, compared_}).dump());
    }
    std::filesystem::path write(const Json& document) const {
        std::ofstream(file_) << document.dump();
        return file_;
    }

    Measurement timed_, failed_, compared_;
    TempDir folder_;
    std::filesystem::path file_ = folder_.path() / "export.json";
};

TEST_F(ExportFile, HoldsMeasurementsToTheLastBit) {
    EXPECT_EQ(read_export(write(document())), (std::vector{timed_, failed_, compared_}));
    Json of_before = document();
    of_before["metadata"]["jitune"].erase("comparisons");
    EXPECT_EQ(read_export(write(of_before)), (std::vector{timed_, failed_}));
}

TEST_F(ExportFile, RefusesMeasurementsThatTheDatabaseWouldRefuse) {
    const auto refused = [&](const std::string& place, const Json& value, const char* why) {
        Json changed = document();
        changed[Json::json_pointer("/metadata/jitune" + place)] = value;
        expect_error(ErrorKind::usage, why, [&] { read_export(write(changed)); });
        expect_error(ErrorKind::usage, "export.json: ", [&] { read_export(write(changed)); });
    };
    refused("/version", 2, "its format has version 2, and this jitune reads version 1");
    refused("/key/kernel", "", "does not name a problem");
    refused("/key/bucket", 1.5, "\"bucket\" must be an integer");
    refused("/measurements", 3, "\"measurements\" must be a list");
    refused("/measurements/1/verdict", "won", "measurement 1: unknown \"verdict\": \"won\"");
    refused("/measurements/0/samples_ns", Json::array(), "contradict the verdict");
    refused("/measurements/0/samples_ns/0", -1, "numbers above 0");
    refused("/measurements/0/configuration", nullptr, "\"configuration\" must be a text");
    refused("/comparisons/0/bucket", -1, "comparison 0: \"bucket\" must be at least 0");
    refused("/measurements/0/provenance", 1, "\"device_name\" is missing");
    expect_error(ErrorKind::usage, "does not name the kernel",
                 [&] { read_export(write(Json::parse(kDocument))); });
}

}  // namespace
}  // namespace jitune::internal
