// SPDX-License-Identifier: Apache-2.0
#include "jitune/options.hpp"

#include <algorithm>
#include <cstdlib>

#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

/// Starts from an environment without jitune's variables and leaves it so.
class OptionsTest : public testing::Test {
protected:
    void SetUp() override { clear(); }
    void TearDown() override { clear(); }

    static void set(const char* name, const char* value) { ASSERT_EQ(setenv(name, value, 1), 0); }
    static void clear() {
        for (const char* name :
             {"JITUNE_DB", "JITUNE_TUNE", "JITUNE_FROZEN", "JITUNE_BUDGET", "JITUNE_HANG_LIMIT",
              "JITUNE_LOG", "JITUNE_TUNE_BUSY", "JITUNE_RECORD", "JITUNE_WATCH"}) {
            unsetenv(name);
        }
    }
    static void expect_refused(const char* name, const char* value, const std::string& accepted) {
        set(name, value);
        expect_error(ErrorKind::usage, std::string(name) + ": \"" + value,
                     [] { return Options::from_environment(); });
        expect_error(ErrorKind::usage, accepted, [] { return Options::from_environment(); });
        clear();
    }
};

TEST_F(OptionsTest, AreTheDefaultsInAnEmptyEnvironment) {
    const Options options = Options::from_environment();
    EXPECT_EQ(options.database, Options::default_database());
    EXPECT_EQ(options.on_miss, TunePolicy::background);
    EXPECT_EQ(options.budget, std::chrono::seconds(2));
    EXPECT_EQ(options.log_level, LogLevel::warning);
    EXPECT_EQ(options.device, "host");
    EXPECT_FALSE(options.frozen);
}

TEST_F(OptionsTest, FreezeTheTable) {
    set("JITUNE_FROZEN", "1");
    EXPECT_TRUE(Options::from_environment().frozen);
    set("JITUNE_FROZEN", "0");
    EXPECT_FALSE(Options::from_environment().frozen);
    for (const char* word : {"true", "2", "01", " 1", "yes"}) {
        expect_refused("JITUNE_FROZEN", word, "nor 0");
    }
}

TEST_F(OptionsTest, AllowTuningOnBusyGpus) {
    EXPECT_FALSE(Options::from_environment().tune_on_busy_gpu);
    set("JITUNE_TUNE_BUSY", "1");
    EXPECT_TRUE(Options::from_environment().tune_on_busy_gpu);
    set("JITUNE_TUNE_BUSY", "0");
    EXPECT_FALSE(Options::from_environment().tune_on_busy_gpu);
    expect_refused("JITUNE_TUNE_BUSY", "yes", "to tune on GPUs that are busy, nor 0");
}

TEST_F(OptionsTest, TurnOffTheWatchOverWinners) {
    EXPECT_TRUE(Options::from_environment().watch_winners);
    set("JITUNE_WATCH", "0");
    EXPECT_FALSE(Options::from_environment().watch_winners);
    set("JITUNE_WATCH", "1");
    EXPECT_TRUE(Options::from_environment().watch_winners);
    expect_refused("JITUNE_WATCH", "off", "to time a few calls of stored winners, nor 0");
}

TEST_F(OptionsTest, SayWhatIsRecordedOfCalls) {
    EXPECT_EQ(Options::from_environment().record, Record::misses);
    set("JITUNE_RECORD", "all");
    EXPECT_EQ(Options::from_environment().record, Record::all);
    set("JITUNE_RECORD", "nothing");
    EXPECT_EQ(Options::from_environment().record, Record::nothing);
    expect_refused("JITUNE_RECORD", "0", "use nothing, misses or all");
}

TEST_F(OptionsTest, ReadTheEnvironment) {
    set("JITUNE_DB", "/somewhere/winners.db");
    set("JITUNE_TUNE", "offline");
    set("JITUNE_BUDGET", "0.5");
    set("JITUNE_HANG_LIMIT", "1.5");
    set("JITUNE_LOG", "debug");
    const Options options = Options::from_environment();
    EXPECT_EQ(options.hang_limit, std::chrono::milliseconds(1500));
    EXPECT_EQ(options.database, "/somewhere/winners.db");
    EXPECT_EQ(options.on_miss, TunePolicy::offline);
    EXPECT_EQ(options.budget, std::chrono::milliseconds(500));
    EXPECT_EQ(options.log_level, LogLevel::debug);
}

TEST_F(OptionsTest, KeepWinnersInMemoryWithoutADatabase) {
    set("JITUNE_DB", "none");
    EXPECT_TRUE(Options::from_environment().database.empty());
}

TEST_F(OptionsTest, IgnoreEmptyVariables) {
    for (const char* name : {"JITUNE_DB", "JITUNE_TUNE", "JITUNE_FROZEN", "JITUNE_BUDGET",
                             "JITUNE_HANG_LIMIT", "JITUNE_LOG"}) {
        set(name, "");
    }
    const Options options = Options::from_environment();
    EXPECT_EQ(options.database, Options::default_database());
    EXPECT_EQ(options.on_miss, TunePolicy::background);
}

TEST_F(OptionsTest, NameTheWrongVariableAndItsAllowedValues) {
    expect_refused("JITUNE_TUNE", "later", "use background, now, offline or default");
    expect_refused("JITUNE_TUNE", "Now", "use background, now, offline or default");
    expect_refused("JITUNE_LOG", "loud", "use off, error, warning, info or debug");
    for (const char* word : {"2s", "-1", "nan", "inf", "1e8", "two", "0x10", " 2", "1e999"}) {
        expect_refused("JITUNE_BUDGET", word, "give seconds, as in 2 or 0.5");
        expect_refused("JITUNE_HANG_LIMIT", word, "give seconds above 0, as in 60");
    }
    expect_refused("JITUNE_HANG_LIMIT", "0", "give seconds above 0, as in 60");
}

TEST_F(OptionsTest, ReadBudgetsInSeconds) {
    EXPECT_EQ(parse_budget("0"), std::chrono::milliseconds(0));
    EXPECT_EQ(parse_budget("1.1"), std::chrono::milliseconds(1100));
    EXPECT_EQ(parse_budget("1e7"), std::chrono::seconds(10'000'000));
}

TEST_F(OptionsTest, NeverRoundABudgetToNoLimit) {
    EXPECT_EQ(parse_budget("0.0001"), std::chrono::milliseconds(1));
    EXPECT_EQ(parse_budget("1e-300"), std::chrono::milliseconds(1));
}

TEST_F(OptionsTest, FindTheUsersCache) {
    const char* const home = std::getenv("HOME");
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const std::string old_home = home != nullptr ? home : "";
    const std::string old_cache = cache != nullptr ? cache : "";
    set("HOME", "/home/someone");
    set("XDG_CACHE_HOME", "/caches");
    EXPECT_EQ(Options::default_database(), "/caches/jitune/tuning.db");
    set("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(Options::default_database(), "/home/someone/.cache/jitune/tuning.db");
    unsetenv("XDG_CACHE_HOME");
    EXPECT_EQ(Options::default_database(), "/home/someone/.cache/jitune/tuning.db");
    unsetenv("HOME");
    EXPECT_TRUE(Options::default_database().empty());
    const auto warnings = [] {
        testing::internal::CaptureStderr();
        EXPECT_TRUE(Options::from_environment().database.empty());
        return testing::internal::GetCapturedStderr();
    };
    const std::string warning = warnings();
    EXPECT_NE(warning.find("neither XDG_CACHE_HOME nor HOME is set"), std::string::npos) << warning;
    EXPECT_EQ(std::count(warning.begin(), warning.end(), '\n'), 1);
    set("JITUNE_DB", "none");
    EXPECT_EQ(warnings(), "");
    set("HOME", old_home.c_str());
    set("XDG_CACHE_HOME", old_cache.c_str());
}

}  // namespace
}  // namespace jitune::internal
