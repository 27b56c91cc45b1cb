// SPDX-License-Identifier: Apache-2.0
// jitune_command() with the command as it is built.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "jitune/jitune.h"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

using nlohmann::json;

class CCommandHost : public testing::Test {
protected:
    CCommandHost() { make(folder_.path() / "tuning.db"); }
    ~CCommandHost() override { jitune_session_destroy(session_); }

    void make(const std::string& database, const char* frozen = "0",
              const char* worker = JITUNE_COMMAND) {
        jitune_session_destroy(std::exchange(session_, nullptr));
        jitune_options* options = nullptr;
        EXPECT_EQ(jitune_options_create(&options), JITUNE_OK);
        jitune_options_set(options, "database", database.c_str());
        jitune_options_set(options, "worker", worker);
        jitune_options_set(options, "frozen", frozen);
        jitune_options_set_log_sink(
            options,
            [](jitune_log_level, const char* message, void* user) {
                static_cast<std::vector<std::string>*>(user)->emplace_back(message);
            },
            &warnings_);
        EXPECT_EQ(jitune_session_create(options, &session_), JITUNE_OK) << jitune_last_message();
        jitune_options_destroy(options);
    }

    jitune_status run(const std::vector<const char*>& words, jitune_progress progress = nullptr) {
        char* text = nullptr;
        const jitune_status status =
            jitune_command(session_, words.data(), words.size(), progress, &lines_, &text);
        document_ = text == nullptr ? json() : json::parse(text, nullptr, false);
        jitune_free(text);
        return status;
    }
    static int keep_line(const char* line, void* user) {
        static_cast<std::vector<std::string>*>(user)->emplace_back(line);
        return 0;
    }
    static int stop(const char* line, void* user) {
        keep_line(line, user);
        return 1;
    }

    TempDir folder_;
    jitune_session* session_ = nullptr;
    json document_;
    std::vector<std::string> lines_, warnings_;
};

TEST_F(CCommandHost, SweepsAndReadsTheDatabase) {
    ASSERT_EQ(
        run({"sweep", "reduce", "--device", "host", "--sizes", "2^14,2^16", "--budget", "0.7"},
            keep_line),
        JITUNE_OK)
        << jitune_last_message();
    EXPECT_EQ(document_["begun"], 2) << document_.dump(1);
    ASSERT_EQ(run({"db", "list"}), JITUNE_OK) << jitune_last_message();
    EXPECT_EQ(document_["winners"].size(), 2U);
    ASSERT_EQ(run({"db", "explain", "--device", "host", "-n", "16384"}), JITUNE_OK)
        << jitune_last_message();
    EXPECT_TRUE(document_.is_object());
    ASSERT_EQ(run({"stats"}), JITUNE_OK) << jitune_last_message();
}

TEST_F(CCommandHost, StopsWhereProgressSaysSo) {
    EXPECT_EQ(
        run({"sweep", "reduce", "--device", "host", "--sizes", "2^10..2^26*2", "--budget", "60"},
            stop),
        JITUNE_ERROR_INTERRUPTED);
    EXPECT_EQ(lines_.size(), 1U) << "and is asked no more";
    EXPECT_NE(std::string(jitune_last_message()).find("the progress function has stopped it"),
              std::string::npos);
}

TEST_F(CCommandHost, SaysWhatTheCommandSays) {
    EXPECT_EQ(run({"sweep", "reduce", "--sizes", "many"}), JITUNE_ERROR_USAGE);
    EXPECT_NE(std::string(jitune_last_message()).find("many"), std::string::npos);
    EXPECT_EQ(run({"sweep", "reduce", "--device", "cuda:99", "--sizes", "2^10"}),
              JITUNE_ERROR_UNAVAILABLE);
    EXPECT_NE(std::string(jitune_last_message()).find("cuda"), std::string::npos);
    EXPECT_EQ(run({nullptr}), JITUNE_ERROR_USAGE);
    EXPECT_EQ(jitune_command(session_, nullptr, 0, nullptr, nullptr, nullptr), JITUNE_ERROR_USAGE);
}

TEST_F(CCommandHost, TunesNothingForAFrozenSession) {
    make(folder_.path() / "frozen.db", "1");
    EXPECT_EQ(run({"sweep", "reduce", "--device", "host", "--sizes", "2^10"}), JITUNE_ERROR_USAGE);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "frozen.db"));
}

TEST_F(CCommandHost, SaysWhereItLookedForTheCommand) {
    make(folder_.path() / "tuning.db", "0", "/no/such/jitune");
    EXPECT_EQ(run({"db", "list"}), JITUNE_ERROR_UNAVAILABLE);
    EXPECT_NE(std::string(jitune_last_message()).find("cannot find the jitune command /no/such"),
              std::string::npos);
}

TEST_F(CCommandHost, NeedsADatabase) {
    make("none");
    EXPECT_EQ(run({"db", "list"}), JITUNE_ERROR_USAGE);
    EXPECT_NE(std::string(jitune_last_message()).find("set the option database"),
              std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
