// SPDX-License-Identifier: Apache-2.0
// How an engine answers where its database is damaged, write protected or missing.
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "fixtures/engine_fixture.hpp"
#include "fixtures/ordinary_user.hpp"

namespace jitune::internal {
namespace {

class EngineDatabase : public EngineFixture {
protected:
    /// Changes the database as some other program would.
    void sql(const std::string& text) {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(options_.database.c_str(), &raw), SQLITE_OK);
        const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
        EXPECT_EQ(sqlite3_exec(raw, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(raw);
    }

    /// Stores a winner for n = 1000 whose row holds but that something is wrong with.
    void store_winner(const std::string& configuration, const std::string& image,
                      const std::vector<std::string>& symbols) {
        const auto engine = make_engine();
        Winner winner;
        winner.key = kernel_.kernel_template.key(fake_sum_problem(), device_.info());
        winner.sizes = "n=1000";
        winner.configuration = configuration;
        winner.median_ns = winner.default_median_ns = 1;
        winner.image_format = "cubin";
        winner.image = image;
        winner.symbols = symbols;
        engine->store()->save({}, winner);
    }

    /// Expects that an engine tunes as if there were no database, and warns once.
    void expect_answers_without_store() {
        const auto engine = make_engine();
        EXPECT_EQ(info(*engine).origin, Origin::tuned);
        expect_right(resolve(*engine));
        resolve(*engine, 100'000);
        EXPECT_EQ(engine->store(), nullptr);
        EXPECT_EQ(engine->counters().store_errors, 1);
        ASSERT_EQ(warnings_.size(), 1U);
        EXPECT_NE(warnings_[0].find("winners are kept in memory only"), std::string::npos);
    }

    /// Expects that a user who owns `own` and may not write the directory gets the winner for 1000
    /// and keeps others in memory, with one warning.
    void expect_reads_only(const std::filesystem::path& own) {
        std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
        {
            const OrdinaryUser user(own);
            const auto engine = make_engine();
            EXPECT_EQ(info(*engine).origin, Origin::stored);
            EXPECT_TRUE(warnings_.empty());
            EXPECT_EQ(info(*engine, 100'000).origin, Origin::tuned);
            EXPECT_EQ(info(*engine, 400'000).origin, Origin::tuned);
            EXPECT_EQ(engine->counters().store_errors, 0);
            EXPECT_EQ(engine->store()->winners().size(), 1U);
            ASSERT_EQ(warnings_.size(), 1U);
            EXPECT_NE(warnings_[0].find("write protected"), std::string::npos);
        }
        std::filesystem::permissions(dir_.path(), std::filesystem::perms(0700));
    }
};

TEST_F(EngineDatabase, TreatsACorruptRowAsAMiss) {
    for (const char* damage :
         {"UPDATE winner SET configuration = 'block=32 items=1'", "UPDATE winner SET image = x'00'",
          "UPDATE winner SET symbols = 'main'", "UPDATE winner SET median_ns = 1",
          "UPDATE winner SET digest = zeroblob(16)"}) {
        tune_before();
        sql(damage);
        const auto engine = make_engine();
        const Resolved& resolved = resolve(*engine);
        EXPECT_EQ(resolved.info.origin, Origin::tuned) << damage;
        EXPECT_EQ(resolved.info.configuration, kFastest);
        expect_right(resolved);
        EXPECT_EQ(info(*make_engine()).origin, Origin::stored) << damage;
    }
}

TEST_F(EngineDatabase, TreatsAnUnusableStoredWinnerAsAMiss) {
    const std::string symbol = fake_sum(128, 4);
    store_winner("block=33 items=4", "[" + symbol + "]", {symbol});
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
    store_winner(kFastest, "[something else]", {symbol});
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
    store_winner(kFastest, "[" + symbol + ";" + symbol + "]", {symbol, symbol});
    EXPECT_EQ(info(*make_engine()).origin, Origin::tuned);
    EXPECT_EQ(warnings_.size(), 3U);
    EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
}

TEST_F(EngineDatabase, AnswersWithoutADatabaseWhereItsPathIsADirectory) {
    std::filesystem::create_directory(options_.database);
    expect_answers_without_store();
}

TEST_F(EngineDatabase, AnswersWithoutADatabaseWhereItsDirectoryIsAFile) {
    std::ofstream(dir_.path() / "file") << "text";
    options_.database = dir_.path() / "file" / "tuning.db";
    expect_answers_without_store();
}

TEST_F(EngineDatabase, AnswersWithoutADatabaseWhereItsDirectoryIsReadOnly) {
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0500));
    const OrdinaryUser user(dir_.path());
    expect_answers_without_store();
}

TEST_F(EngineDatabase, AnswersWithoutADatabaseWhereItMayNotEnterTheDirectory) {
    std::filesystem::permissions(dir_.path(), std::filesystem::perms::none);
    {
        const OrdinaryUser user(dir_.path());
        expect_answers_without_store();
    }
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0700));
}

TEST_F(EngineDatabase, UsesTheWinnersOfAWriteProtectedFile) {
    tune_before();
    sql("PRAGMA journal_mode = DELETE");
    std::filesystem::permissions(options_.database, std::filesystem::perms(0444));
    std::filesystem::create_directory(dir_.path() / "home");
    expect_reads_only(dir_.path() / "home");
}

TEST_F(EngineDatabase, UsesTheWinnersOfAWriteProtectedDirectory) {
    tune_before();
    sql("PRAGMA journal_mode = DELETE");
    expect_reads_only(options_.database);
}

TEST_F(EngineDatabase, AnswersWithoutADatabaseWhereOthersMayWrite) {
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0777));
    expect_answers_without_store();
}

TEST_F(EngineDatabase, AnswersWithoutADatabaseOfANewerJitune) {
    tune_before();
    sql("PRAGMA user_version = 99");
    expect_answers_without_store();
}

TEST_F(EngineDatabase, ContinuesWhenTheDatabaseTablesAreDropped) {
    const auto engine = make_engine();
    engine->store();
    sql("DROP TABLE winner");
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    expect_right(resolve(*engine));
    EXPECT_GT(engine->counters().store_errors, 0);
    EXPECT_FALSE(warnings_.empty());
}

TEST_F(EngineDatabase, TriesAllAgainWhereNothingWorksThatWorkedInAnEarlierTuning) {
    device_.otherwise.run = wrong_sum;
    tune_before();
    sql("DELETE FROM winner");
    device_.otherwise.run = right_sum;
    device_.on(fake_sum(128, 4)).run = wrong_sum;
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_NE(info(*engine).configuration, kFastest);
    expect_right(resolve(*engine));
}

}  // namespace
}  // namespace jitune::internal
