// SPDX-License-Identifier: Apache-2.0
#include "support/own_file.hpp"

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

}  // namespace
}  // namespace jitune::internal
