// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/sqlite.hpp"

#include <sqlite3.h>
#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <utility>
#include <vector>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal::sqlite {
namespace {

class Sqlite : public testing::Test {
protected:
    Connection database_{"", Connection::Mode::memory};

    Row answer(const std::string& sql, const Row& parameters = {}) {
        Statement statement(database_, sql);
        Cursor cursor = statement.run(parameters);
        return cursor.next() ? cursor.row() : Row{};
    }
};

TEST_F(Sqlite, ReturnsEveryTypeOfCellUnchanged) {
    const std::string awkward("'; DROP TABLE t; --\0\xff\xfe\n", 23);
    const Row row{std::monostate{},
                  std::numeric_limits<std::int64_t>::min(),
                  5e-324,
                  awkward,
                  Blob{awkward},
                  std::string(),
                  Blob{}};
    EXPECT_EQ(answer("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7", row), row);
}

TEST_F(Sqlite, ReturnsAMegabyteOfTextUnchanged) {
    const Row row{std::string(1 << 20, 'x')};
    EXPECT_EQ(answer("SELECT ?1", row), row);
}

TEST_F(Sqlite, SaysInWordsWhatWasTriedAndKeepsTheSql) {
    const std::vector<std::pair<std::string, std::string>> attempts{
        {"SELECT * FROM nowhere", "cannot read it: no such table: nowhere"},
        {"\n  DELETE FROM nowhere", "cannot change it: no such table: nowhere"},
        {"PRAGMA user_version =", "cannot use it: incomplete input"}};
    for (const auto& [sql, text] : attempts) {
        try {
            answer(sql);
            ADD_FAILURE() << sql;
        } catch (const Failure& failure) {
            const std::string message = failure.what();
            EXPECT_NE(message.find(text), std::string::npos) << message;
            EXPECT_EQ(message.find("FROM"), std::string::npos) << message;
            EXPECT_EQ(failure.sql(), sql);
        }
    }
}

TEST_F(Sqlite, KeepsTheExtendedCodeOfAFailure) {
    database_.execute("CREATE TABLE t(a INTEGER CHECK(a > 0)) STRICT");
    try {
        database_.execute("INSERT INTO t VALUES(0)");
        FAIL() << "the CHECK did not hold the row back";
    } catch (const Failure& failure) {
        const NativeCode expected{NativeCode::Source::sqlite, SQLITE_CONSTRAINT_CHECK};
        EXPECT_EQ(failure.native_code(), expected);
        EXPECT_FALSE(failure.damaged());
    }
}

TEST_F(Sqlite, RefusesAResultOfAnotherType) {
    EXPECT_EQ(database_.integer("SELECT 3"), 3);
    EXPECT_NE(store_error([&] { database_.integer("SELECT '3'"); }), "");
    EXPECT_NE(store_error([&] { database_.text("SELECT 3 WHERE 0"); }), "");
}

TEST_F(Sqlite, RefusesAParameterThatTheStatementDoesNotHave) {
    EXPECT_NE(store_error([&] { answer("SELECT ?1", {std::int64_t{1}, std::int64_t{2}}); }), "");
}

TEST_F(Sqlite, UndoesATransactionThatIsNotCommitted) {
    database_.execute("CREATE TABLE t(a)");
    {
        const Transaction transaction(database_, Transaction::Kind::write);
        database_.execute("INSERT INTO t VALUES(1)");
    }
    EXPECT_EQ(database_.integer("SELECT count(*) FROM t"), 0);
    Transaction transaction(database_, Transaction::Kind::write);
    database_.execute("INSERT INTO t VALUES(1)");
    transaction.commit();
    EXPECT_EQ(database_.integer("SELECT count(*) FROM t"), 1);
}

TEST_F(Sqlite, RunsAStatementAgainAfterAFailedRun) {
    database_.execute("CREATE TABLE t(a INTEGER NOT NULL) STRICT");
    Statement insert(database_, "INSERT INTO t VALUES(?1)");
    EXPECT_NE(store_error([&] { insert.execute({std::monostate{}}); }), "");
    insert.execute({std::int64_t{7}});
    EXPECT_EQ(database_.integer("SELECT a FROM t"), 7);
}

TEST_F(Sqlite, RunsNoTrigger) {
    database_.execute("CREATE TABLE t(a); CREATE TABLE u(a)");
    database_.execute("CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO u VALUES(1); END");
    database_.execute("INSERT INTO t VALUES(1)");
    EXPECT_EQ(database_.integer("SELECT count(*) FROM u"), 0);
}

TEST_F(Sqlite, ReadsNoView) {
    database_.execute("CREATE VIEW v AS SELECT 1 AS a");
    EXPECT_NE(store_error([&] { database_.integer("SELECT a FROM v"); }), "");
}

TEST_F(Sqlite, AttachesNoOtherDatabase) {
    EXPECT_NE(store_error([&] { database_.execute("ATTACH ':memory:' AS other"); }), "");
}

TEST_F(Sqlite, RefusesAHugeValue) {
    EXPECT_NE(store_error([&] { database_.execute("SELECT zeroblob(100000000)"); }), "");
}

TEST(SqliteFile, SaysThatAPathIsTooLong) {
    const std::string path = "/" + std::string(8000, 'x');
    const std::string message =
        store_error([&] { Connection(path, Connection::Mode::read_write); });
    EXPECT_NE(message.find("use a shorter one"), std::string::npos) << message;
}

TEST(SqliteFile, MakesNoFileThatIsMissing) {
    const TempDir dir;
    const std::string path = dir.path() / "none.db";
    EXPECT_NE(store_error([&] { Connection(path, Connection::Mode::read_write); }), "");
    EXPECT_FALSE(std::filesystem::exists(path));
}

// SQLite keeps the error of a failed write, and a damaged page that is read later is not its fault.
TEST(SqliteFile, DoesNotBlameTheSystemForDamageAfterAFailedWrite) {
    const TempDir dir;
    const std::string path = dir.write("damaged.db", "");
    Connection database(path, Connection::Mode::read_write);
    database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(100000))");
    const rlimit now{std::filesystem::file_size(path), RLIM_INFINITY};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &now), 0);
    const std::string refused =
        store_error([&] { database.execute("INSERT INTO t VALUES(zeroblob(100000))"); });
    const rlimit any{RLIM_INFINITY, RLIM_INFINITY};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &any), 0);
    EXPECT_NE(refused.find("File too large"), std::string::npos) << refused;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(24).write("changed", 4);  // the count of changes, so that no page is remembered
    file.seekp(4096).write(std::string(4096, 'x').data(), 4096);
    file.close();
    try {
        database.integer("SELECT count(a) FROM t");
        FAIL() << "the damage was not seen";
    } catch (const Failure& failure) {
        EXPECT_TRUE(failure.damaged()) << failure.what();
    }
}

TEST(SqliteFile, GivesUpOnAnotherWriterAfterTheBusyWait) {
    const TempDir dir;
    const std::string path = dir.write("shared.db", "");
    Connection first(path, Connection::Mode::read_write);
    Connection second(path, Connection::Mode::read_write);
    second.set_busy_wait(std::chrono::milliseconds(5));
    const Transaction writing(first, Transaction::Kind::write);
    const std::string message = store_error([&] { Transaction(second, Transaction::Kind::write); });
    EXPECT_NE(message.find("another process holds the database"), std::string::npos) << message;
}

}  // namespace
}  // namespace jitune::internal::sqlite
