// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/journal_mode.hpp"

#include <sqlite3.h>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

const FileSystem kLocal{"ext4", true};
const FileSystem kNetwork{"nfs", false};

TEST(JournalModeRule, UsesWalOnlyWithTheWalResetFix) {
    for (const int version : {3037000, 3040001, 3051002, 3052000}) {
        EXPECT_EQ(choose_journal_mode(version, kLocal).name, "delete") << version;
    }
    for (const int version : {3051003, 3051010, 3053000, 4000000}) {
        EXPECT_EQ(choose_journal_mode(version, kLocal).name, "wal") << version;
    }
}

TEST(JournalModeRule, UsesWalOnlyOnALocalFileSystem) {
    const JournalMode mode = choose_journal_mode(3053000, kNetwork);
    EXPECT_EQ(mode.name, "delete");
    EXPECT_EQ(mode.reason, "nfs is not known to be local");
}

TEST(JournalModeRule, NamesTheVersionThatIsTooOld) {
    EXPECT_EQ(choose_journal_mode(3040001, kLocal).reason,
              "SQLite 3.40.1 has the WAL-reset bug, fixed in 3.51.3");
}

TEST(JournalModeRule, TrustsOnlyKnownFileSystems) {
    EXPECT_TRUE(file_system(0xEF53).local);
    EXPECT_EQ(file_system(0x6969).name, "nfs");
    EXPECT_FALSE(file_system(0x6969).local);
    EXPECT_FALSE(file_system(0x0BD00BD0).local);
    EXPECT_FALSE(file_system(0x12345678).local);
    EXPECT_EQ(file_system(0x12345678).name, "file system 0x12345678");
}

class JournalModeTest : public StoreFixture {
protected:
    sqlite::Connection connect() {
        if (!std::filesystem::exists(path_)) {
            write("");
        }
        return {path_.native(), sqlite::Connection::Mode::read_write};
    }
};

TEST_F(JournalModeTest, SetsWalIfItIsChosen) {
    sqlite::Connection connection = connect();
    const JournalMode mode = set_journal_mode(connection, {"wal", "because"});
    EXPECT_EQ(mode.name, "wal");
    EXPECT_EQ(mode.reason, "because");
    EXPECT_EQ(connection.integer("PRAGMA synchronous"), 1);
}

TEST_F(JournalModeTest, SyncsFullyWithTheDeleteJournal) {
    sqlite::Connection connection = connect();
    EXPECT_EQ(set_journal_mode(connection, {"delete", "because"}).name, "delete");
    EXPECT_EQ(connection.integer("PRAGMA synchronous"), 2);
}

TEST_F(JournalModeTest, SwitchesADatabaseBackFromWal) {
    sql("PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
    sqlite::Connection connection = connect();
    EXPECT_EQ(set_journal_mode(connection, {"delete", "because"}).name, "delete");
}

TEST_F(JournalModeTest, RefusesADatabaseThatAnotherProcessKeepsInWal) {
    sqlite::Connection other = connect();
    other.execute("PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
    sqlite::Connection connection = connect();
    EXPECT_NE(store_error([&] { set_journal_mode(connection, {"delete", "because"}); }), "");
}

TEST_F(JournalModeTest, FallsBackIfAnotherProcessPreventsWal) {
    sqlite::Connection other = connect();
    other.execute("CREATE TABLE t(a)");
    const sqlite::Transaction writing(other, sqlite::Transaction::Kind::write);
    sqlite::Connection connection = connect();
    const JournalMode mode = set_journal_mode(connection, {"wal", "because"});
    EXPECT_EQ(mode.name, "delete");
    EXPECT_NE(mode.reason.find("locked"), std::string::npos) << mode.reason;
}

TEST_F(JournalModeTest, IsDeleteInAStoreWhoseSqliteHasTheBug) {
    const auto store = open();
    if (choose_journal_mode(sqlite3_libversion_number(), kLocal).name == "wal") {
        GTEST_SKIP() << "this SQLite has the fix";
    }
    EXPECT_EQ(store->status().journal_mode, "delete");
    EXPECT_NE(store->status().journal_reason.find("WAL-reset"), std::string::npos);
}

TEST_F(JournalModeTest, StopsWritingWhenAnotherProgramChangesIt) {
    const auto store = open();
    if (store->status().journal_mode != "delete") {
        GTEST_SKIP() << "this SQLite may use WAL";
    }
    store->save({}, winner_of(1));
    sql("PRAGMA journal_mode = WAL");
    const std::string message = store_error([&] { store->save({}, winner_of(2)); });
    EXPECT_NE(message.find("changed the journal mode"), std::string::npos) << message;
    EXPECT_EQ(store->find(key_of(1), sizes_of(1)), winner_of(1));
}

}  // namespace
}  // namespace jitune::internal
