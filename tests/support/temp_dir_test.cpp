// SPDX-License-Identifier: Apache-2.0
#include "support/temp_dir.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "support/process_identity.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

/// Folders in a temporary folder of the test's own.
class TempDirTest : public testing::Test {
protected:
    /// A folder of jitune's with a file in it, whose owner is `identity`.
    [[nodiscard]] fs::path folder_of(const std::string& identity) const {
        std::string name = (base_.path() / "jitune-XXXXXX").string();
        EXPECT_NE(::mkdtemp(name.data()), nullptr);
        std::ofstream(fs::path(name) / TempDir::kOwnerFile) << identity;
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

TEST_F(TempDirTest, NamesItsOwner) {
    std::ifstream file(base_.path() / TempDir::kOwnerFile);
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, process_identity());
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

TEST_F(TempDirTest, OfAProcessWhoseNumberWasUsedAgainIsRemoved) {
    const fs::path left = folder_of(identity_of_an_ended_process());
    TempDir::remove_abandoned(base_.path());
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(TempDirTest, WithoutAKnownOwnerStays) {
    const fs::path unknown = folder_of("somebody");
    const fs::path elsewhere = folder_of("host=elsewhere boot=1 pids=1 pid=1 start=1");
    const fs::path nobody = folder_of("");
    fs::remove(nobody / TempDir::kOwnerFile);
    TempDir::remove_abandoned(base_.path());
    for (const fs::path& folder : {unknown, elsewhere, nobody}) {
        EXPECT_TRUE(fs::exists(folder / "kernel.cpp")) << folder;
    }
}

TEST_F(TempDirTest, OfAnotherNameOrBehindALinkStays) {
    const fs::path left = folder_of(identity_of_an_ended_process());
    const fs::path other = base_.path() / "mine";
    fs::rename(left, other);
    fs::create_symlink(other, base_.path() / "jitune-link");
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
