// SPDX-License-Identifier: Apache-2.0
#include "support/temp_dir.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "support/no_memory.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

/// Folders in a temporary folder of the test's own.
class TempDirTest : public testing::Test {
protected:
    /// A folder with a file in it, whose owner is `identity`.
    [[nodiscard]] fs::path folder_of(const std::string& identity) const {
        return folder_named(TempDir::prefix_of(identity) + "XXXXXX");
    }
    [[nodiscard]] fs::path folder_named(const std::string& form) const {
        std::string name = (base_.path() / form).string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        std::ofstream(fs::path(name) / "kernel.cpp") << "int x;";
        return name;
    }

    /// This process's identity, but for its start.
    [[nodiscard]] static std::string identity_of_an_ended_process() {
        const std::string mine = process_identity();
        return mine.substr(0, mine.find(" start=")) + " start=1";
    }

    const TempDir base_;
};

TEST_F(TempDirTest, IsEmptyAndNamesItsOwner) {
    EXPECT_TRUE(fs::is_empty(base_.path()));
    const std::string name = base_.path().filename();
    EXPECT_TRUE(name.starts_with(TempDir::prefix_of(process_identity()))) << name;
    EXPECT_NE(name.find(std::to_string(::getpid())), std::string::npos) << name;
}

TEST_F(TempDirTest, IsRemovedWithoutAnyMemory) {
    std::optional<TempDir> dir(std::in_place);
    const fs::path path = dir->path();
    static_cast<void>(dir->write("folder/file", "text"));
    {
        const NoMemory none;
        dir.reset();
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(TempDirTest, OfAKilledProcessIsRemovedAndOthersStay) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("TMPDIR", base_.path().c_str(), 1);
        const TempDir left;
        ::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto folders = [&] {
        return std::count_if(fs::directory_iterator(base_.path()), fs::directory_iterator(),
                             [](const fs::directory_entry& one) { return one.is_directory(); });
    };
    ASSERT_EQ(folders(), 1);
    const fs::path alive = folder_of(process_identity());
    TempDir::remove_abandoned(base_.path());
    EXPECT_TRUE(fs::exists(alive / "kernel.cpp"));
    EXPECT_EQ(folders(), 1);
}

/// The folder in which a process makes its own where TMPDIR is `named`.
fs::path folder_with(const fs::path& named) {
    const char* const before = std::getenv("TMPDIR");
    const std::string kept = before == nullptr ? "" : before;
    ::setenv("TMPDIR", named.c_str(), 1);
    const fs::path folder = TempDir().path().parent_path();
    before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
    return folder;
}

TEST_F(TempDirTest, AnEmptyVariableIsAsGoodAsNone) {
    EXPECT_EQ(folder_with(base_.path()), fs::canonical(base_.path()));
    EXPECT_EQ(folder_with(""), "/tmp");
}

TEST_F(TempDirTest, IsNotMadeWhereOthersMayPutTheirOwnInItsPlace) {
    const fs::path inner = base_.path() / "shared" / "inner";
    fs::create_directories(inner);
    fs::permissions(inner.parent_path(), fs::perms(0777));
    EXPECT_EQ(folder_with(inner), "/tmp");
    fs::permissions(inner.parent_path(), fs::perms(01777));
    EXPECT_EQ(folder_with(inner), fs::canonical(inner));
}

TEST_F(TempDirTest, OfAProcessWhoseNumberWasUsedAgainIsRemoved) {
    const fs::path left = folder_of(identity_of_an_ended_process());
    TempDir::remove_abandoned(base_.path());
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(TempDirTest, WithoutAKnownOwnerStays) {
    const fs::path elsewhere = folder_of("host=elsewhere boot=1 pids=1 pid=1 start=1");
    const fs::path no_start =
        folder_of(process_identity().substr(0, process_identity().find("start=")) + "start=");
    const fs::path old = folder_named("jitune-XXXXXX");
    const fs::path odd = folder_named("jitune-0-1-XXXXXX");
    TempDir::remove_abandoned(base_.path());
    for (const fs::path& folder : {elsewhere, no_start, old, odd}) {
        EXPECT_TRUE(fs::exists(folder / "kernel.cpp")) << folder;
    }
}

TEST_F(TempDirTest, OfAnotherNameOrBehindALinkStays) {
    const fs::path left = folder_of(identity_of_an_ended_process());
    const fs::path other = base_.path() / "mine";
    fs::rename(left, other);
    fs::create_symlink(other, left);
    TempDir::remove_abandoned(base_.path());
    EXPECT_TRUE(fs::exists(other / "kernel.cpp"));
}

TEST_F(TempDirTest, ThatOthersMayWriteStays) {
    const fs::path left = folder_of(identity_of_an_ended_process());
    fs::permissions(left, fs::perms(0777));
    TempDir::remove_abandoned(base_.path());
    EXPECT_TRUE(fs::exists(left));
}

}  // namespace
}  // namespace jitune::internal
