// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/store_path.hpp"

#include <sys/stat.h>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;
using IfMissing = StorePath::IfMissing;

unsigned mode_of(const fs::path& path) {
    return static_cast<unsigned>(fs::symlink_status(path).permissions());
}

class StorePathTest : public testing::Test {
protected:
    /// The message of the refusal, or "".
    std::string refusal(const fs::path& path, IfMissing if_missing = IfMissing::create) {
        return store_error([&] { (void)StorePath(path, if_missing).check_file(); });
    }
    fs::path file(const std::string& name) { return dir_.write(name, "x"); }
    void expect_refusal(const fs::path& path, const std::string& why) {
        const std::string message = refusal(path);
        EXPECT_NE(message.find(why), std::string::npos) << message;
    }

    TempDir dir_;
    fs::path path_ = dir_.path() / "tuning.db";
};

TEST_F(StorePathTest, MakesDirectoriesAndFileForThisUserAlone) {
    const fs::path path = dir_.path() / "a" / "b" / "tuning.db";
    EXPECT_EQ(refusal(path), "");
    EXPECT_EQ(mode_of(dir_.path() / "a"), 0700U);
    EXPECT_EQ(mode_of(dir_.path() / "a" / "b"), 0700U);
    EXPECT_EQ(mode_of(path), 0600U);
    EXPECT_EQ(fs::file_size(path), 0U);
}

TEST_F(StorePathTest, MakesNothingIfTheFileMustExist) {
    EXPECT_NE(refusal(path_, IfMissing::refuse).find("there is no such file: check the path"),
              std::string::npos);
    EXPECT_NE(refusal(dir_.path() / "a" / "tuning.db", IfMissing::refuse), "");
    EXPECT_TRUE(fs::is_empty(dir_.path()));
}

TEST_F(StorePathTest, LeavesAnExistingFileAsItIs) {
    const fs::path path = file("tuning.db");
    EXPECT_EQ(refusal(path), "");
    EXPECT_EQ(fs::file_size(path), 1U);
}

TEST_F(StorePathTest, FollowsSymlinksInTheDirectoryOnly) {
    fs::create_directory(dir_.path() / "real");
    fs::permissions(dir_.path() / "real", fs::perms(0700));
    fs::create_directory_symlink(dir_.path() / "real", dir_.path() / "alias");
    const StorePath path(dir_.path() / "alias" / "tuning.db", IfMissing::create);
    EXPECT_EQ(path.file(), fs::canonical(dir_.path() / "real") / "tuning.db");

    fs::create_symlink(file("target.db"), path_);
    expect_refusal(path_, "symlink");
}

TEST_F(StorePathTest, RefusesAnythingButARegularFileWithoutWaiting) {
    const fs::path fifo = dir_.path() / "fifo";
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    expect_refusal(fifo, "not a regular file");
    fs::create_directory(dir_.path() / "directory");
    expect_refusal(dir_.path() / "directory", "not a regular file");
    EXPECT_NE(refusal("/dev/full"), "");
}

TEST_F(StorePathTest, RefusesAFileWithAnotherHardLink) {
    fs::create_hard_link(file("tuning.db"), dir_.path() / "other.db");
    expect_refusal(path_, "hard links");
}

TEST_F(StorePathTest, RefusesAPathThatOthersCanWrite) {
    for (const unsigned mode : {0620U, 0602U, 0666U}) {
        fs::permissions(file("tuning.db"), fs::perms(mode));
        expect_refusal(path_, "chmod go-w");
    }
    fs::permissions(path_, fs::perms(0644));
    EXPECT_EQ(refusal(path_), "");
    fs::permissions(dir_.path(), fs::perms(01777));
    expect_refusal(path_, "a directory of your own");
}

TEST_F(StorePathTest, RefusesAPathOfAnotherUser) {
    constexpr uid_t kOther = 12345;
    const fs::path path = file("tuning.db");
    if (chown(path.c_str(), kOther, static_cast<gid_t>(-1)) != 0) {
        GTEST_SKIP() << "only root can give a file away";
    }
    expect_refusal(path, "belongs to user 12345");
    ASSERT_EQ(chown(path.c_str(), geteuid(), static_cast<gid_t>(-1)), 0);
    ASSERT_EQ(chown(dir_.path().c_str(), kOther, static_cast<gid_t>(-1)), 0);
    expect_refusal(path, "belongs to user 12345");
}

TEST_F(StorePathTest, RefusesAPathThatDoesNotNameAFile) {
    for (const std::string& path : {std::string(), std::string("/"), dir_.path().native() + "/",
                                    dir_.path().native() + std::string("/a\0b", 4)}) {
        EXPECT_NE(refusal(path), "") << path;
    }
    expect_refusal(dir_.path() / "..", "not a regular file");
    expect_refusal(file("plain") / "tuning.db", "Not a directory");
    expect_refusal(dir_.path() / std::string(300, 'x'), "File name too long");
    expect_refusal("/" + std::string(5000, 'x') + "/tuning.db", "File name too long");
}

TEST_F(StorePathTest, RenamesADamagedFileToTheFirstFreeName) {
    const StorePath place(path_, IfMissing::create);
    for (const std::string expected : {"tuning.db.bad-1", "tuning.db.bad-2"}) {
        const StorePath::Identity damaged = place.check_file();
        (void)file("tuning.db-journal");
        EXPECT_EQ(place.set_aside(damaged), expected);
        EXPECT_TRUE(fs::exists(dir_.path() / expected));
        EXPECT_TRUE(fs::exists(dir_.path() / (expected + "-journal")));
        EXPECT_FALSE(fs::exists(path_));
        EXPECT_FALSE(fs::exists(dir_.path() / "tuning.db-journal"));
    }
}

TEST_F(StorePathTest, RenamesOnlyTheFileThatWasFoundDamaged) {
    const StorePath place(path_, IfMissing::create);
    const StorePath::Identity damaged = place.check_file();
    fs::rename(path_, dir_.path() / "moved-by-another-process");
    (void)place.check_file();
    EXPECT_EQ(place.set_aside(damaged), std::nullopt);
    EXPECT_TRUE(fs::exists(path_));
}

}  // namespace
}  // namespace jitune::internal
