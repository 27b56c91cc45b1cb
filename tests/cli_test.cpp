#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace jitune {
namespace {

using nlohmann::json;

struct Answer {
    int code = -1;
    std::string out;
    std::string err;
};

std::string contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

bool is_one_line(const std::string& text) {
    return text.starts_with("jitune: ") && text.ends_with('\n') &&
           std::count(text.begin(), text.end(), '\n') == 1;
}

/// Runs the jitune command with a database, a home and an environment of its own.
class CliTest : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "jitune-cli-XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }

    /// `script` with $jitune as the command, and $folder.
    [[nodiscard]] Answer shell(const std::string& script) const {
        std::ofstream(folder_ / "script") << fmt::format("jitune='{}'\nfolder='{}'\n{}\n",
                                                         JITUNE_COMMAND, folder_.string(), script);
        const std::string command = fmt::format(
            "env -u JITUNE_TUNE -u JITUNE_BUDGET -u JITUNE_LOG -u XDG_CACHE_HOME "
            "HOME='{0}' JITUNE_DB='{0}/tuning.db' sh '{0}/script' "
            ">'{0}/out' 2>'{0}/err' </dev/null",
            folder_.string());
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(folder_ / "out"),
                contents(folder_ / "err")};
    }

    [[nodiscard]] Answer jitune(const std::string& arguments) const {
        return shell("exec \"$jitune\" " + arguments);
    }

    [[nodiscard]] json jitune_json(const std::string& arguments) const {
        const Answer answer = jitune(arguments + " --json");
        EXPECT_EQ(answer.code, 0) << answer.err;
        return json::parse(answer.out);
    }

    template <class T>
    void write_npy(const std::string& name, const std::string& descr,
                   const std::vector<T>& values) const {
        std::string header = fmt::format(
            "{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", descr, values.size());
        header.resize(118, ' ');
        std::ofstream file(path(name), std::ios::binary);
        file.write("\x93NUMPY\x01\0\x76\0", 10) << header;
        file.write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(values.size() * sizeof(T)));
    }

    void expect_failure(const std::string& arguments, int code, const std::string& reason) const {
        const Answer answer = jitune(arguments);
        EXPECT_EQ(answer.code, code) << arguments << "\n" << answer.err;
        EXPECT_EQ(answer.out, "") << arguments;
        EXPECT_TRUE(is_one_line(answer.err)) << arguments << "\n" << answer.err;
        EXPECT_NE(answer.err.find(reason), std::string::npos) << arguments << "\n" << answer.err;
    }

    /// Tunes two small sums on the host, quickly.
    [[nodiscard]] json small_sweep() const {
        return jitune_json("sweep reduce --device host --sizes 2^10,2^14 --budget 0.3");
    }

    std::filesystem::path folder_;
};

TEST_F(CliTest, HelpPrintsTheTables) {
    const Answer answer = jitune("--help");
    EXPECT_EQ(answer.code, 0);
    for (const char* word : {"devices", "sweep", "reduce", "db", "exhaustive", "random", "130"}) {
        EXPECT_NE(answer.out.find(word), std::string::npos) << word;
    }
    EXPECT_NE(jitune("sweep reduce --help").out.find("--sizes"), std::string::npos);
    EXPECT_TRUE(jitune("--version").out.starts_with("jitune "));
}

TEST_F(CliTest, DevicesNameTheHost) {
    const auto devices = jitune_json("devices")["devices"];
    EXPECT_TRUE(std::any_of(devices.begin(), devices.end(), [](const json& device) {
        return device["id"] == "host" && device["usable"] == true;
    }));
    EXPECT_NE(jitune("devices").out.find("host"), std::string::npos);
}

TEST_F(CliTest, BadArgumentsAreOneLineThatNamesGoodOnes) {
    expect_failure("", 2, "devices, sweep, reduce, db");
    expect_failure("swep", 2,
                   "\"swep\" was not expected; jitune takes one of the commands devices");
    expect_failure("sweep", 2, "jitune sweep takes one of the commands reduce");
    expect_failure("db", 2, "list, show, explain, verify, path");
    expect_failure("sweep reduce --size 3", 2, "--sizes");
    expect_failure("sweep reduce --sizes", 2, "--sizes");
    expect_failure("sweep reduce --sizes 2^10..2^8", 2, "2^10..2^28");
    expect_failure("sweep reduce --types float16", 2, "float64");
    expect_failure("sweep reduce --ops mean", 2, "max");
    expect_failure("sweep reduce --device tpu", 2, "host");
    expect_failure("sweep reduce --device host --strategy luck", 2, "random");
    expect_failure("sweep reduce --budget -1", 2, "--budget");
    expect_failure("sweep reduce --seed x", 2, "2^64-1");
    expect_failure("devices --log loud", 2, "warning");
    expect_failure("reduce", 2, "FILE");
    expect_failure("db explain", 2, "-n");
    expect_failure("db list --db none", 2, "--db");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "tuning.db"));
}

TEST_F(CliTest, BadInputFilesAreOneLine) {
    std::ofstream(path("text.npy")) << "1 2 3\n";
    write_npy<double>("big.npy", ">f8", {1});
    expect_failure("reduce \"$folder/none.npy\"", 2, "No such file");
    expect_failure("reduce \"$folder\"", 2, "not a regular file");
    expect_failure("reduce \"$folder/text.npy\"", 2, "little-endian");
    expect_failure("reduce \"$folder/big.npy\"", 2, "'>f8'");
    expect_failure("reduce \"$folder/big.npy\" --op mean", 2, "min");
}

TEST_F(CliTest, AMissingDeviceIsItsOwnExitCode) {
    write_npy<float>("one.npy", "<f4", {1});
    expect_failure("reduce \"$folder/one.npy\" --device cuda:99", 4, "cuda");
}

TEST_F(CliTest, AnEmptyArrayIsAnsweredWithoutADevice) {
    write_npy<float>("f4.npy", "<f4", {});
    write_npy<std::int64_t>("i8.npy", "<i8", {});
    const json minimum = jitune_json("reduce \"$folder/f4.npy\" --op min --device cuda:99");
    EXPECT_EQ(minimum["value"], "Infinity");
    EXPECT_EQ(minimum["n"], 0);
    EXPECT_TRUE(minimum["device"].is_null());
    EXPECT_TRUE(minimum["origin"].is_null());
    EXPECT_EQ(jitune_json("reduce \"$folder/f4.npy\"")["value"], 0.0);
    EXPECT_EQ(jitune_json("reduce \"$folder/i8.npy\" --op max")["value"],
              std::numeric_limits<std::int64_t>::min());
}

TEST_F(CliTest, ReducesTheFourElementTypesExactly) {
    write_npy<std::int32_t>("i4.npy", "<i4", {5, -7, 40});
    write_npy<std::int64_t>("i8.npy", "<i8", {(std::int64_t{1} << 53) + 1, 2});
    write_npy<float>("f4.npy", "<f4", {0.1F, 16777216.0F});
    write_npy<double>("f8.npy", "<f8", {0.1, -0.25});
    const auto value = [&](const std::string& rest) {
        return jitune_json("reduce --device host --tune default " + rest)["value"];
    };
    EXPECT_EQ(value("\"$folder/i4.npy\" --op min"), -7);
    EXPECT_EQ(value("\"$folder/i8.npy\" --op sum"), 9007199254740995);
    EXPECT_EQ(value("\"$folder/f4.npy\" --op min").get<float>(), 0.1F);
    EXPECT_EQ(value("\"$folder/f8.npy\" --op max"), 0.1);
    write_npy<double>("nan.npy", "<f8", {1, std::numeric_limits<double>::quiet_NaN()});
    EXPECT_EQ(value("\"$folder/nan.npy\" --op max"), "NaN");
}

TEST_F(CliTest, ReduceTunesOnceAndThenFindsTheWinnerStored) {
    write_npy<float>("data.npy", "<f4", std::vector<float>(5000, 0.5F));
    const std::string command = "reduce \"$folder/data.npy\" --device host --budget 0.3";
    const json first = jitune_json(command);
    EXPECT_EQ(first["value"], 2500.0);
    EXPECT_EQ(first["type"], "float32");
    EXPECT_EQ(first["n"], 5000);
    EXPECT_EQ(first["op"], "sum");
    EXPECT_EQ(first["device"], "host");
    EXPECT_EQ(first["origin"], "tuned");
    EXPECT_GT(first["compiles"], 0);
    EXPECT_GT(first["seconds"], 0);
    EXPECT_GT(first["gb_per_s"], 0);
    EXPECT_EQ(first.size(), 10U);
    const json second = jitune_json(command);
    EXPECT_EQ(second["value"], 2500.0);
    EXPECT_EQ(second["origin"], "stored");
    EXPECT_EQ(second["configuration"], first["configuration"]);
    EXPECT_EQ(second["compiles"], 0);
    EXPECT_NE(jitune(command).out.find("stored"), std::string::npos);
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
    EXPECT_EQ(jitune_json("db show 2"), shown);
    EXPECT_EQ(jitune_json("db verify")["winners"], 2);
    EXPECT_EQ(jitune_json("db path")["path"], path("tuning.db"));
    expect_failure("db show", 2, "2 winners match");
    expect_failure("db show 3", 2, "no row 3");
    expect_failure("db show --op max", 2, "no winner");
}

TEST_F(CliTest, ExplainTellsWhichWinnerServes) {
    static_cast<void>(small_sweep());
    const json near = jitune_json("db explain -n 2^10 --device host");
    ASSERT_EQ(near["rows"].size(), 2U);
    EXPECT_TRUE(near["rows"][0]["serves"]);
    EXPECT_FALSE(near["rows"][1]["serves"]);
    EXPECT_EQ(near["rows"][1]["octaves"], 4.0);
    EXPECT_NE(jitune("db explain -n 2^10 --op max --device host").out.find("no"),
              std::string::npos);
}

TEST_F(CliTest, ASweepPrintsOneRowForEachProblem) {
    const Answer answer =
        jitune("sweep reduce --device host --sizes 1000,2000 --ops sum,max --budget 0.2");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_EQ(std::count(answer.out.begin(), answer.out.end(), '\n'), 2 + 4 + 1) << answer.out;
    EXPECT_NE(answer.out.find("stored in"), std::string::npos);
}

TEST_F(CliTest, AnInterruptedSweepKeepsWhatItHas) {
    const Answer answer = shell(
        "\"$jitune\" sweep reduce --device host --budget 0 --strategy exhaustive >\"$folder/rows\" "
        "&\n"
        "until grep -q configuration \"$folder/rows\"; do sleep 0.1; done\n"
        "kill -INT $!; wait $!");
    EXPECT_EQ(answer.code, 130) << answer.err;
    EXPECT_NE(contents(path("rows")).find("incomplete"), std::string::npos);
    EXPECT_EQ(jitune_json("db verify")["problems"].size(), 0U);
    EXPECT_EQ(jitune_json("db list")["winners"].size(), 1U);
}

TEST_F(CliTest, DatabaseProblemsHaveTheirOwnExitCode) {
    expect_failure("db list", 3, "jitune sweep reduce makes it");
    EXPECT_EQ(jitune_json("db path")["exists"], false);
    static_cast<void>(small_sweep());
    std::filesystem::permissions(path("tuning.db"), std::filesystem::perms(0666));
    expect_failure("db list", 3, "tuning.db");
    expect_failure("sweep reduce --device host --sizes 1000", 3, "tuning.db");
}

TEST_F(CliTest, VerifyFindsAChangedByte) {
    static_cast<void>(small_sweep());
    const std::string text = contents(path("tuning.db"));
    const auto place = text.find("element=float32");
    ASSERT_NE(place, std::string::npos);
    std::fstream(path("tuning.db"), std::ios::in | std::ios::out | std::ios::binary)
        .seekp(static_cast<std::streamoff>(place))
        .write("elemenT", 7);
    const Answer answer = jitune("db verify");
    EXPECT_EQ(answer.code, 3) << answer.out << answer.err;
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
}  // namespace jitune
