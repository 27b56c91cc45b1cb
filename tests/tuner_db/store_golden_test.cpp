// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

// A stored format is a promise. When the first test fails, the format has changed: raise
// user_version, add a migration, keep these golden files with the tests that read them, and add a
// golden file for the new version.
class GoldenStore : public StoreFixture {
protected:
    static Winner winner() {
        Winner winner = winner_of(40);
        winner.image = std::string(
            "\x7f"
            "ELF\0",
            5);
        return winner;
    }
    static Winner exact_winner() {
        Winner exact = winner();
        exact.reproducibility = "exact";
        return exact;
    }
    static Winner certain_winner() {
        Winner certain = exact_winner();
        certain.certainty = {"l2=cold chain=32 clocks=steady", 0.0015, 1.5, 1.75};
        return certain;
    }
    static std::vector<Measurement> measurements() { return {measurement_of(40)}; }
    static std::vector<Measurement> any_measurements() {
        std::vector<Measurement> any = measurements();
        any[0].reproducibility = "any";
        return any;
    }

    static std::string golden(const std::string& name) {
        std::ifstream file(JITUNE_GOLDEN_DIR "/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    void make_version_1() { sql(golden("store_v1.sql")); }

    /// What `query` answers, one value to a line.
    std::string answer(const std::string& query) {
        sqlite3* raw = nullptr;
        EXPECT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
        const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
        std::string text;
        const auto append = [](void* out, int, char** values, char**) {
            *static_cast<std::string*>(out) += values[0] + std::string("\n");
            return 0;
        };
        EXPECT_EQ(sqlite3_exec(raw, query.c_str(), append, &text, nullptr), SQLITE_OK)
            << sqlite3_errmsg(raw);
        return text;
    }

    /// The one row of a table as the SQL that makes it.
    std::string insert_sql(const std::string& table) {
        const std::string columns = answer(
            fmt::format("SELECT group_concat('quote(' || name || ')', ' || '','' || char(10) "
                        "|| ') FROM pragma_table_info('{}')",
                        table));
        return fmt::format("INSERT INTO {} VALUES(\n{});\n", table,
                           answer(fmt::format("SELECT {} FROM {}", columns, table)));
    }

    /// The database as the SQL that makes it.
    std::string dump() {
        return answer(
                   "SELECT 'PRAGMA application_id = ' || application_id || ';' FROM "
                   "pragma_application_id") +
               answer(
                   "SELECT 'PRAGMA user_version = ' || user_version || ';' FROM "
                   "pragma_user_version") +
               answer("SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL") +
               insert_sql("measurement") + insert_sql("winner");
    }
};

TEST_F(GoldenStore, IsWhatIsWrittenToday) {
    open()->save(any_measurements(), certain_winner());
    EXPECT_EQ(dump(), golden("store_v4.sql"));
}

TEST_F(GoldenStore, IsReadToday) {
    sql(golden("store_v4.sql"));
    const auto store = open(Access::read_only);
    EXPECT_EQ(store->find(key_of(40)), certain_winner());
    EXPECT_EQ(store->measurements(key_of(40)), any_measurements());
    EXPECT_EQ(store->bad_rows(), 0);
}

TEST_F(GoldenStore, OfVersion3KeepsItsRowsAndBecomesWhatIsWrittenToday) {
    sql(golden("store_v3.sql"));
    EXPECT_EQ(open()->find(key_of(40)), certain_winner());
    EXPECT_EQ(open()->measurements(key_of(40)), any_measurements());
    EXPECT_EQ(dump(), golden("store_v4.sql"));
}

TEST_F(GoldenStore, OfVersion2KeepsItsRowsAndSaysThatItsWinnersCertaintyIsNotKnown) {
    sql(golden("store_v2.sql"));
    const auto store = open();
    EXPECT_EQ(store->find(key_of(40)), exact_winner());
    EXPECT_EQ(exact_winner().certainty, Certainty{});
    EXPECT_EQ(store->measurements(key_of(40)), any_measurements());
    EXPECT_TRUE(store->verify().problems.empty());
}

TEST_F(GoldenStore, OfVersion2BecomesWhatIsWrittenToday) {
    sql(golden("store_v2.sql"));
    open();
    const std::string migrated = dump();
    path_ = dir_.path() / "new.db";
    open()->save(any_measurements(), exact_winner());
    EXPECT_EQ(migrated, dump());
}

TEST_F(GoldenStore, DoesNotGiveAWinnerWhoseCertaintyIsDamaged) {
    for (const char* damage : {"speed_up_high = 9", "uncertainty = 0.0", "conditions = ''",
                               "conditions = '', uncertainty = 0, speed_up_low = 0, "
                               "speed_up_high = 0"}) {
        std::filesystem::remove(path_);
        open()->save({}, certain_winner());
        sql(std::string("UPDATE winner SET ") + damage);
        EXPECT_EQ(open()->find(key_of(40)), std::nullopt) << damage;
    }
}

TEST_F(GoldenStore, OfVersion1KeepsItsRowsAndTheirOrderIsFixed) {
    make_version_1();
    const auto store = open();
    EXPECT_EQ(store->find(key_of(40)), winner());
    EXPECT_EQ(winner().reproducibility, "fixed");
    EXPECT_EQ(store->measurements(key_of(40)), measurements());
    EXPECT_EQ(store->bad_rows(), 0);
    EXPECT_TRUE(store->verify().problems.empty());
}

TEST_F(GoldenStore, OfVersion1BecomesWhatIsWrittenToday) {
    make_version_1();
    open();
    const std::string migrated = dump();
    path_ = dir_.path() / "new.db";
    open()->save(measurements(), winner());
    EXPECT_EQ(migrated, dump());
}

TEST_F(GoldenStore, OfVersion1HoldsAMeasurementThatIsMadeAgainOnlyOnce) {
    make_version_1();
    const auto store = open();
    store->save(measurements(), std::nullopt);
    EXPECT_EQ(store->measurements(key_of(40)).size(), 1U);
    store->save(any_measurements(), std::nullopt);
    EXPECT_EQ(store->measurements(key_of(40)).size(), 2U);
}

TEST_F(GoldenStore, OfVersion1DoesNotGiveADamagedWinner) {
    make_version_1();
    sql("UPDATE winner SET configuration = 'block=512'");
    const auto store = open();
    EXPECT_EQ(store->find(key_of(40)), std::nullopt);
    EXPECT_EQ(store->measurements(key_of(40)), measurements());
}

TEST_F(GoldenStore, OfVersion1WithARowThatItDoesNotAllowIsNotTouched) {
    make_version_1();
    sql("PRAGMA ignore_check_constraints = ON; UPDATE winner SET noise = -1");
    const std::string before = bytes();
    EXPECT_NE(refusal().find("CHECK constraint failed"), std::string::npos) << refusal();
    EXPECT_EQ(bytes(), before);
}

TEST_F(GoldenStore, OfAnOlderVersionThatMayNotBeWrittenSaysSoWithoutSql) {
    sql(golden("store_v3.sql"));
    const std::string before = bytes();
    ASSERT_TRUE(geteuid() != 0 || chown(path_.c_str(), 65534, 65534) == 0);
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
    const Child child([&] {
        // Root may write anywhere, so it becomes the file's owner, who may not write beside it.
        ASSERT_TRUE(geteuid() != 0 || setuid(65534) == 0);
        for (const Access access : {Access::read_write, Access::read_only}) {
            const std::string message = refusal(access);
            EXPECT_TRUE(
                message.ends_with("it is of version 3, and version 4 is needed: open it "
                                  "once with `jitune db path`, or a copy of it where file "
                                  "or directory may not be written"))
                << message;
        }
    });
    EXPECT_EQ(child.wait(), 0);
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0700));
    EXPECT_EQ(bytes(), before);
}

TEST_F(GoldenStore, OfVersion1IsLeftAloneByAReader) {
    make_version_1();
    const std::string before = bytes();
    const std::string message = refusal(Access::read_only);
    EXPECT_NE(message.find("it is of version 1, and version 4 is needed"), std::string::npos)
        << message;
    EXPECT_EQ(bytes(), before);
}

TEST_F(GoldenStore, OfVersion1WithAnythingElseInItIsNotTouched) {
    make_version_1();
    sql("CREATE VIEW v AS SELECT * FROM winner");
    const std::string before = bytes();
    EXPECT_NE(refusal().find("its schema is not that of version 1 (see v)"), std::string::npos);
    EXPECT_EQ(bytes(), before);
}

TEST_F(GoldenStore, OfVersion1IsMigratedOnceByManyProcesses) {
    make_version_1();
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 8; ++i) {
        children.push_back(
            std::make_unique<Child>([&] { EXPECT_EQ(open()->find(key_of(40)), winner()); }));
    }
    for (const auto& child : children) {
        EXPECT_EQ(child->wait(), 0);
    }
    EXPECT_EQ(open()->status().schema_version, 4);
}

}  // namespace
}  // namespace jitune::internal
