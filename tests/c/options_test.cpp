// SPDX-License-Identifier: Apache-2.0
// Options and sessions of the C interface.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "c/handles.hpp"

namespace jitune::internal {
namespace {

class COptionsTest : public testing::Test {
protected:
    COptionsTest() {
        EXPECT_EQ(jitune_options_create(&options_), JITUNE_OK);
        set("database", "none");
    }
    ~COptionsTest() override { jitune_options_destroy(options_); }

    void set(const char* name, const char* value) {
        EXPECT_EQ(jitune_options_set(options_, name, value), JITUNE_OK) << jitune_last_message();
    }
    /// The message.
    std::string refuse(const char* name, const char* value) {
        EXPECT_EQ(jitune_options_set(options_, name, value), JITUNE_ERROR_USAGE);
        return jitune_last_message();
    }
    [[nodiscard]] const Options& get() const { return options_->options; }

    jitune_options* options_ = nullptr;
};

TEST_F(COptionsTest, SetsEachMemberByItsName) {
    set("database", "/tmp/a.db");
    set("on_miss", "offline");
    set("tune_on_busy_gpu", "1");
    set("frozen", "1");
    set("watch_winners", "0");
    set("record", "all");
    set("budget", "0.25");
    set("hang_limit", "3");
    set("compile_limit", "4");
    set("device", "auto");
    set("strategy", "random");
    set("seed", "18446744073709551615");
    set("worker", "none");
    set("log_level", "debug");
    EXPECT_EQ(get().database, "/tmp/a.db");
    EXPECT_EQ(get().on_miss, TunePolicy::offline);
    EXPECT_TRUE(get().tune_on_busy_gpu && get().frozen && !get().watch_winners);
    EXPECT_EQ(get().record, Record::all);
    EXPECT_EQ(get().budget.count(), 250);
    EXPECT_EQ(get().hang_limit.count(), 3000);
    EXPECT_EQ(get().compile_limit.count(), 4000);
    EXPECT_EQ(get().device, "auto");
    EXPECT_EQ(get().strategy, "random");
    EXPECT_EQ(get().seed, ~std::uint64_t{0});
    EXPECT_EQ(get().worker, "none");
    EXPECT_EQ(get().log_level, LogLevel::debug);
}

TEST_F(COptionsTest, SaysWhatItAccepts) {
    EXPECT_NE(refuse("budgt", "1").find("there are database, on_miss"), std::string::npos);
    EXPECT_NE(refuse("on_miss", "later").find("option on_miss: \"later\""), std::string::npos);
    EXPECT_NE(refuse("seed", "-1").find("0 to 2^64 - 1"), std::string::npos);
    EXPECT_NE(refuse("seed", "18446744073709551616").find("seed"), std::string::npos);
    EXPECT_NE(refuse("hang_limit", "0").find("seconds above 0"), std::string::npos);
    EXPECT_EQ(get().seed, 0U) << "the options are as before";
}

TEST_F(COptionsTest, RefusesNullPointers) {
    EXPECT_EQ(jitune_options_set(nullptr, "seed", "1"), JITUNE_ERROR_USAGE);
    EXPECT_EQ(refuse(nullptr, "1"), "jitune_options_set: name is null");
    EXPECT_EQ(refuse("seed", nullptr), "jitune_options_set: value is null");
    EXPECT_EQ(jitune_options_create(nullptr), JITUNE_ERROR_USAGE);
    EXPECT_EQ(jitune_session_create(options_, nullptr), JITUNE_ERROR_USAGE);
    jitune_options_destroy(nullptr);
    jitune_session_destroy(nullptr);
}

TEST_F(COptionsTest, PassesMessagesToTheSink) {
    std::vector<std::pair<jitune_log_level, std::string>> got;
    const auto sink = [](jitune_log_level level, const char* message, void* user) {
        static_cast<decltype(got)*>(user)->emplace_back(level, message);
    };
    EXPECT_EQ(jitune_options_set_log_sink(options_, sink, &got), JITUNE_OK);
    get().log_sink(LogLevel::warning, std::string_view("a message", 3));
    ASSERT_EQ(got.size(), 1U);
    EXPECT_EQ(got[0], std::pair(JITUNE_LOG_WARNING, std::string("a m")));
    EXPECT_EQ(jitune_options_set_log_sink(options_, nullptr, nullptr), JITUNE_OK);
    EXPECT_FALSE(get().log_sink);
}

TEST_F(COptionsTest, MakeASessionThatKeepsACopy) {
    jitune_session* session = nullptr;
    ASSERT_EQ(jitune_session_create(options_, &session), JITUNE_OK) << jitune_last_message();
    set("database", "/elsewhere");
    char* text = nullptr;
    ASSERT_EQ(jitune_session_counters(session, &text), JITUNE_OK);
    const auto counters = nlohmann::json::parse(text);
    jitune_free(text);
    EXPECT_EQ(counters["compiles"], 0);
    EXPECT_EQ(counters["longest_pause_of"], "");
    EXPECT_EQ(counters.size(), 13U);
    EXPECT_EQ(jitune_session_table_digest(session, &text), JITUNE_ERROR_STORE);
    ASSERT_EQ(jitune_session_devices(session, &text), JITUNE_OK);
    const auto devices = nlohmann::json::parse(text);
    jitune_free(text);
    EXPECT_TRUE(std::any_of(devices.begin(), devices.end(), [](const auto& device) {
        return device["id"] == "host" && device["missing"] == "";
    }));
    jitune_session_destroy(session);
}

TEST_F(COptionsTest, RefuseWhatASessionRefuses) {
    EXPECT_NE(refuse("device", "tpu").find("tpu"), std::string::npos);
    EXPECT_NE(refuse("strategy", "luck").find("luck"), std::string::npos);
    EXPECT_EQ(get().device, "host");
}

}  // namespace
}  // namespace jitune::internal
