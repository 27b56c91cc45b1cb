// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/schema.hpp"

#include <array>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

using sqlite::Connection;

class Migrations : public testing::Test {
protected:
    Connection database_{"", Connection::Mode::memory};
};

constexpr Migration kFirst{0, "CREATE TABLE t(a); INSERT INTO t VALUES(1); PRAGMA user_version=1"};
constexpr Migration kSecond{1, "UPDATE t SET a = a + 1; PRAGMA user_version=2"};
constexpr Migration kThird{2, "UPDATE t SET a = a * 10; PRAGMA user_version=3"};

TEST_F(Migrations, GoStepByStepToTheTarget) {
    const std::array migrations{kThird, kFirst, kSecond};
    migrate(database_, migrations, 3);
    EXPECT_EQ(database_.integer("PRAGMA user_version"), 3);
    EXPECT_EQ(database_.integer("SELECT a FROM t"), 20);
}

TEST_F(Migrations, StartWhereTheDatabaseIs) {
    const std::array migrations{kFirst, kSecond, kThird};
    migrate(database_, migrations, 1);
    migrate(database_, migrations, 1);
    migrate(database_, migrations, 2);
    EXPECT_EQ(database_.integer("SELECT a FROM t"), 2);
}

TEST_F(Migrations, ChangeNothingWhenOneFails) {
    const std::array migrations{kFirst, kSecond,
                                Migration{2, "DELETE FROM t; UPDATE nowhere SET a = 1"}};
    migrate(database_, migrations, 1);
    EXPECT_NE(store_error([&] { migrate(database_, migrations, 3); }), "");
    EXPECT_EQ(database_.integer("PRAGMA user_version"), 1);
    EXPECT_EQ(database_.integer("SELECT a FROM t"), 1);
}

TEST_F(Migrations, RefuseAGapAndAStepThatDoesNotRaiseTheVersion) {
    const std::array gap{kFirst, kThird};
    EXPECT_NE(
        store_error([&] { migrate(database_, gap, 3); }).find("no migration from version 1 to 3"),
        std::string::npos);
    const std::array stuck{Migration{0, "CREATE TABLE t(a)"}};
    EXPECT_NE(store_error([&] { migrate(database_, stuck, 1); }).find("set version 0"),
              std::string::npos);
}

class SchemaTest : public StoreFixture {
protected:
    void make_store() { open()->save({}, winner_of(1)); }

    /// Opening must fail, say `why`, and leave every byte as it is.
    void expect_untouched_refusal(const std::string& why) {
        const std::string before = bytes();
        for (const Access access : {Access::read_write, Access::read_only}) {
            const std::string message = refusal(access);
            EXPECT_NE(message.find(why), std::string::npos) << message;
            EXPECT_NE(message.find(path_.native()), std::string::npos) << message;
        }
        EXPECT_EQ(bytes(), before);
        EXPECT_TRUE(warnings_.empty());
    }
};

TEST_F(SchemaTest, MarksTheFileAsJitunes) {
    make_store();
    EXPECT_EQ(bytes().substr(68, 4), "jitn");
    EXPECT_EQ(open()->status().schema_version, schema_version());
}

TEST_F(SchemaTest, IsMadeOnceByManyProcesses) {
    std::vector<std::unique_ptr<Child>> children;
    for (int i = 0; i < 8; ++i) {
        children.push_back(std::make_unique<Child>([&, i] {
            open()->save({}, winner_of(i));
            EXPECT_EQ(open()->find(key_of(i), sizes_of(i)), winner_of(i));
        }));
    }
    for (const auto& child : children) {
        EXPECT_EQ(child->wait(), 0);
    }
    EXPECT_EQ(open()->winners().size(), 8U);
}

TEST_F(SchemaTest, UsesADatabaseThatIsStillEmpty) {
    sql("PRAGMA page_size = 1024; CREATE TABLE t(a); DROP TABLE t");
    make_store();
    EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), winner_of(1));
}

TEST_F(SchemaTest, RefusesAnotherApplicationsDatabase) {
    sql("CREATE TABLE notes(text)");
    expect_untouched_refusal("another application");
}

TEST_F(SchemaTest, RefusesAnotherApplicationId) {
    make_store();
    sql("PRAGMA application_id = 252006673");
    expect_untouched_refusal("another application");
}

TEST_F(SchemaTest, RefusesANewerVersionAndSaysWhich) {
    make_store();
    const std::string newer = std::to_string(schema_version() + 1);
    sql("PRAGMA user_version = " + newer);
    expect_untouched_refusal("its version is " + newer);
}

TEST_F(SchemaTest, RefusesTheVersionsOfDevelopment) {
    make_store();
    for (const char* version : {"0", "1", "9"}) {
        sql(std::string("PRAGMA user_version = ") + version);
        expect_untouched_refusal(std::string("its version is ") + version +
                                 ", of a jitune before 0.2");
    }
}

TEST_F(SchemaTest, RefusesAnyOtherSchema) {
    for (const char* change :
         {"CREATE TRIGGER r AFTER INSERT ON winner BEGIN DELETE FROM winner; END",
          "ALTER TABLE winner ADD COLUMN extra TEXT", "CREATE TABLE extra(a)",
          "CREATE UNIQUE INDEX extra ON winner(median_ns)", "DROP INDEX measurement_key",
          "DROP VIEW winners; CREATE VIEW winners AS SELECT 1", "DROP VIEW coverage",
          "ALTER TABLE winner RENAME TO w; CREATE VIEW winner AS SELECT * FROM w",
          "DROP TABLE measurement", "DROP TABLE lease"}) {
        SCOPED_TRACE(change);
        write("");
        make_store();
        sql(change);
        expect_untouched_refusal("its schema is not that of version " +
                                 std::to_string(schema_version()));
    }
}

TEST_F(SchemaTest, TakesWhatAPersonAddsForPeople) {
    make_store();
    for (const char* change :
         {"CREATE VIEW v AS SELECT * FROM winners",
          "create   index extra ON winner(median_ns) WHERE complete = 1", "ANALYZE"}) {
        SCOPED_TRACE(change);
        sql(change);
        EXPECT_TRUE(open()->find(key_of(1), sizes_of(1)));
        open()->save({}, winner_of(2));
        EXPECT_TRUE(open(Access::read_only)->verify().problems.empty());
    }
}

TEST_F(SchemaTest, RefusesRowsThatTheStoreWouldNotWrite) {
    make_store();
    for (const char* change : {"median_ns = 0",
                               "median_ns = -1",
                               "median_ns = 9e999",
                               "median_ns = NULL",
                               "noise = -0.5",
                               "complete = 2",
                               "bucket = 'x'",
                               "bucket = -1",
                               "alignment = 0",
                               "image = x''",
                               "image = 'text'",
                               "image_format = 'exe'",
                               "digest = x'00'",
                               "symbols = ''",
                               "kernel = ''",
                               "median_ns = '1 ns'",
                               "reproducibility = 'often'",
                               "reproducibility = NULL",
                               "conditions = NULL",
                               "uncertainty = -1",
                               "uncertainty = 9e999",
                               "speed_up_low = -1",
                               "speed_up_low = 2, speed_up_high = 1",
                               "speed_up_high = 9e999"}) {
        sqlite3* raw = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
        const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
        const std::string statement = std::string("UPDATE winner SET ") + change;
        EXPECT_EQ(sqlite3_exec(raw, statement.c_str(), nullptr, nullptr, nullptr),
                  SQLITE_CONSTRAINT)
            << change;
    }
}

}  // namespace
}  // namespace jitune::internal
