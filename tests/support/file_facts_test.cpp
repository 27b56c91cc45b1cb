// SPDX-License-Identifier: Apache-2.0
#include "support/file_facts.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

class OwnFileTest : public testing::Test {
protected:
    OwnFileTest() { std::ofstream(file_) << ""; }

    void give(uid_t user, gid_t group, unsigned mode) const {
        ASSERT_EQ(::chown(file_.c_str(), user, group), 0);
        fs::permissions(file_, fs::perms(mode));
    }

    TempDir dir_;
    const fs::path file_ = fs::canonical(dir_.path()) / "file";
};

constexpr uid_t kOther = 54'321;

TEST_F(OwnFileTest, IsForeignWhereAnotherUserMayChangeIt) {
    EXPECT_FALSE(is_foreign(file_));
    fs::permissions(file_, fs::perms(0757));
    EXPECT_TRUE(is_foreign(file_));
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can give a file away";
    }
    give(0, kOther, 0755);
    EXPECT_FALSE(is_foreign(file_));
    give(0, kOther, 0775);
    EXPECT_TRUE(is_foreign(file_)) << "members of the group may replace it";
    give(kOther, 0, 0755);
    EXPECT_TRUE(is_foreign(file_));
}

TEST_F(OwnFileTest, IsNotForeignWhereTheUsersOwnGroupMayChangeIt) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "the group root is root's own";
    }
    give(0, 0, 0775);
    EXPECT_FALSE(is_foreign(file_));
}

TEST_F(OwnFileTest, AFolderIsSharedWhereOthersMayRenameWhatIsInIt) {
    const fs::path outer = file_.parent_path() / "outer";
    const fs::path inner = outer / "inner";
    fs::create_directories(inner);
    EXPECT_EQ(shared_folder_above(inner), std::nullopt) << *shared_folder_above(inner);
    fs::permissions(outer, fs::perms(0777));
    EXPECT_EQ(shared_folder_above(inner), outer);
    fs::permissions(outer, fs::perms(01777));
    EXPECT_EQ(shared_folder_above(inner), std::nullopt) << "only owners may";
    fs::permissions(inner, fs::perms(0777));
    EXPECT_EQ(shared_folder_above(inner), inner);
}

TEST(FileStamp, ChangesWithTheFileAndIsThatOfTheFileBehindALink) {
    const TempDir dir;
    const std::filesystem::path file = dir.write("compiler", "one");
    const std::filesystem::path link = dir.path() / "link";
    std::filesystem::create_symlink(file, link);
    const std::string before = file_stamp(link);
    EXPECT_EQ(before, file_stamp(file));
    EXPECT_TRUE(before.ends_with("file=" + std::filesystem::canonical(file).string())) << before;

    const auto written = std::filesystem::last_write_time(file);
    static_cast<void>(dir.write("compiler", "three"));
    std::filesystem::last_write_time(file, written);
    const std::string longer = file_stamp(link);
    EXPECT_NE(longer, before);
    std::filesystem::last_write_time(file, written + std::chrono::nanoseconds(1000));
    EXPECT_NE(file_stamp(link), longer);
}

TEST(FileStamp, IsEmptyWhereThereIsNoFile) {
    const TempDir dir;
    EXPECT_EQ(file_stamp(dir.path() / "none"), "");
}

}  // namespace
}  // namespace jitune::internal
