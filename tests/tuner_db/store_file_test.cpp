// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/open_store.hpp"

#include <fcntl.h>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;
using Mode = sqlite::Connection::Mode;

/// A folder with a database, and what other users may do to it from the folder above.
class StoreFileTest : public testing::Test {
protected:
    StoreFileTest() {
        make(folder_, 1);
        make(other_, 2);
    }

    /// A database that says its number.
    void make(const fs::path& folder, int number) {
        StoreFile file = open(folder / "tuning.db");
        file.connection.execute("CREATE VIEW number AS SELECT " + std::to_string(number));
        file.connection.execute("PRAGMA journal_mode = DELETE");
    }
    StoreFile open(const StorePath& place, Mode mode = Mode::read_write) {
        return open_store_file(place, mode, Log(LogLevel::off), std::chrono::milliseconds(0));
    }
    StoreFile open(const fs::path& path) {
        return open(StorePath(path, StorePath::IfMissing::create));
    }
    /// Another folder gets the name of the one that was checked.
    void swap() {
        fs::rename(folder_, moved_);
        fs::rename(other_, folder_);
    }
    static std::string number_of(sqlite::Connection& connection) {
        return connection.text("SELECT sql FROM sqlite_schema WHERE name = 'number'");
    }

    TempDir dir_;
    const fs::path folder_ = dir_.path() / "mine";
    const fs::path other_ = dir_.path() / "other";
    const fs::path moved_ = dir_.path() / "moved";
};

TEST_F(StoreFileTest, OpensTheFolderThatWasCheckedAndNotAnotherOfItsName) {
    for (const Mode mode : {Mode::read_only, Mode::read_write}) {
        const StorePath place(folder_ / "tuning.db", StorePath::IfMissing::refuse);
        swap();
        StoreFile file = open(place, mode);
        EXPECT_NE(number_of(file.connection).find("SELECT 1"), std::string::npos);
        fs::rename(folder_, other_);
        fs::rename(moved_, folder_);
    }
}

TEST_F(StoreFileTest, WritesItsJournalIntoTheFolderThatWasChecked) {
    StoreFile file = open(folder_ / "tuning.db");
    file.connection.execute("PRAGMA journal_mode = DELETE");
    swap();
    sqlite::Transaction transaction(file.connection, sqlite::Transaction::Kind::write);
    file.connection.execute("CREATE VIEW another AS SELECT 3");
    file.connection.execute("PRAGMA cache_spill = 0");
    EXPECT_TRUE(fs::exists(moved_ / "tuning.db-journal"));
    EXPECT_FALSE(fs::exists(folder_ / "tuning.db-journal"));
    transaction.commit();
    EXPECT_FALSE(fs::exists(moved_ / "tuning.db-journal"));
}

TEST_F(StoreFileTest, RollsNoJournalBackThatLiesInAnotherFolderOfItsName) {
    const StorePath place(folder_ / "tuning.db", StorePath::IfMissing::refuse);
    swap();
    std::ofstream(folder_ / "tuning.db-journal") << std::string(4096, 'x');
    StoreFile file = open(place, Mode::read_only);
    EXPECT_NE(number_of(file.connection).find("SELECT 1"), std::string::npos);
}

TEST_F(StoreFileTest, NamesThePresentPathInItsMessages) {
    StoreFile file = open(folder_ / "tuning.db");
    EXPECT_EQ(file.connection.name(), "tuning database " + (folder_ / "tuning.db").string());
    swap();
    EXPECT_EQ(file.connection.name(), "tuning database " + (moved_ / "tuning.db").string());
}

TEST_F(StoreFileTest, WithoutProcNeedsFoldersThatOthersCannotRename) {
    const StorePath place(folder_ / "tuning.db", StorePath::IfMissing::refuse);
    EXPECT_EQ(store_error([&] { place.refuse_movable(); }), "");
    fs::permissions(dir_.path(), fs::perms(0777));
    const std::string refusal = store_error([&] { place.refuse_movable(); });
    EXPECT_NE(refusal.find("other users may rename what is in " + dir_.path().string()),
              std::string::npos)
        << refusal;
}

TEST_F(StoreFileTest, WithoutProcTheFolderIsNotReachedByItsDescriptor) {
    EXPECT_TRUE(sqlite::FolderVfs(FileDescriptor(::open(folder_.c_str(), O_RDONLY))).works());
    EXPECT_FALSE(sqlite::FolderVfs(FileDescriptor(-1)).works());
}

}  // namespace
}  // namespace jitune::internal
