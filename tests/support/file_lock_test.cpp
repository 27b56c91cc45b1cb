// SPDX-License-Identifier: Apache-2.0
#include "support/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "jitune/error.hpp"
#include "support/file_descriptor.hpp"
#include "support/temp_dir.hpp"

namespace jitune::internal {
namespace {

using namespace std::chrono_literals;

class FileLockTest : public testing::Test {
protected:
    /// A party that waits holds the queue, which is the second byte of the file.
    bool somebody_waits() const {
        const FileDescriptor file(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
        struct flock lock {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        lock.l_start = 1;
        lock.l_len = 1;
        EXPECT_EQ(::fcntl(file.number(), F_OFD_GETLK, &lock), 0);
        return lock.l_type != F_UNLCK;
    }

    TempDir dir_;
    std::vector<std::filesystem::path> folders_{dir_.path()};
    std::filesystem::path path_ = dir_.path() / "a.lock";
};

TEST_F(FileLockTest, OnePartyHoldsItAtATime) {
    FileLock first(folders_, "a.lock"), second(folders_, "a.lock");
    EXPECT_TRUE(first.acquire(0ms));
    EXPECT_FALSE(second.acquire(0ms));
    EXPECT_FALSE(second.acquire(5ms));
    first.release();
    EXPECT_TRUE(second.acquire(0ms));
    EXPECT_FALSE(first.acquire(0ms));
}

TEST_F(FileLockTest, EndsWithItsObject) {
    FileLock first(folders_, "a.lock");
    { EXPECT_TRUE(FileLock(folders_, "a.lock").acquire(0ms)); }
    EXPECT_TRUE(first.acquire(0ms));
}

TEST_F(FileLockTest, EndsWithItsProcess) {
    const pid_t child = fork();
    if (child == 0) {
        FileLock lock(folders_, "a.lock");
        lock.acquire(0ms);
        std::ofstream(dir_.path() / "locked") << "";
        pause();
    }
    for (int i = 0; i < 60'000 && !std::filesystem::exists(dir_.path() / "locked"); ++i) {
        std::this_thread::sleep_for(1ms);
    }
    FileLock lock(folders_, "a.lock");
    EXPECT_FALSE(lock.acquire(0ms));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_TRUE(lock.acquire(0ms));
}

TEST_F(FileLockTest, AWaiterGetsItBeforeTheLastHolder) {
    FileLock greedy(folders_, "a.lock");
    ASSERT_TRUE(greedy.acquire(0ms));
    std::atomic<bool> got{false};
    std::thread waiter([&] {
        FileLock patient(folders_, "a.lock");
        got = patient.acquire(60s);
    });
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!somebody_waits() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(1ms);
    }
    EXPECT_TRUE(somebody_waits());
    greedy.release();
    int turns = 0;
    while (!got) {
        if (greedy.acquire(0ms)) {
            turns +=
                got ? 0 : 1;  // the waiter holds the lock from before `got` is set until its end
            greedy.release();
        }
    }
    waiter.join();
    EXPECT_EQ(turns, 0);
}

TEST_F(FileLockTest, TheFileIsForAllUsersToReadAndWriteWhateverTheUmask) {
    const mode_t before = umask(0077);
    const FileLock lock(folders_, "a.lock");
    umask(before);
    struct stat status {};
    ASSERT_EQ(stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0666U);
    EXPECT_EQ(status.st_size, 0);
}

TEST_F(FileLockTest, FollowsNoSymlinkAndOpensOnlyRegularFiles) {
    std::ofstream(dir_.path() / "target") << "";
    std::filesystem::create_symlink(dir_.path() / "target", path_);
    EXPECT_THROW(FileLock(folders_, "a.lock"), Error);
    std::filesystem::remove(path_);
    ASSERT_EQ(mkfifo(path_.c_str(), 0666), 0);
    EXPECT_THROW(FileLock(folders_, "a.lock"), Error);
    std::filesystem::remove(path_);
    std::filesystem::create_directory(path_);
    EXPECT_THROW(FileLock(folders_, "a.lock"), Error);
}

TEST_F(FileLockTest, OfOneUserIsForThatUserAlone) {
    const auto lock = [&] { return FileLock(folders_, "a.lock", FileLock::Among::this_user); };
    EXPECT_TRUE(lock().acquire(0ms));
    struct stat status {};
    ASSERT_EQ(stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    if (chown(path_.c_str(), 54'321, 54'321) != 0) {
        GTEST_SKIP() << "only root can give a file away";
    }
    EXPECT_THROW(lock(), Error);
}

TEST_F(FileLockTest, WhoHoldsItForAMinuteIsOverruledUntilItIsFree) {
    using Turn = FileLock::Turn;
    FileLock holder(folders_, "a.lock"), other(folders_, "a.lock");
    ASSERT_TRUE(holder.acquire(0ms));
    const std::chrono::steady_clock::time_point begin{};
    EXPECT_EQ(other.ask(begin), Turn::refused);
    EXPECT_EQ(other.ask(begin + 59s), Turn::refused);
    EXPECT_EQ(other.ask(begin + 60s), Turn::overdue);
    other.release();
    EXPECT_EQ(other.ask(begin + 61s), Turn::overdue);
    holder.release();
    EXPECT_EQ(other.ask(begin + 62s), Turn::locked);
    other.release();
    ASSERT_TRUE(holder.acquire(0ms));
    EXPECT_EQ(other.ask(begin + 63s), Turn::refused) << "it has had a turn";
}

TEST_F(FileLockTest, IsInTheFirstFolderThatTakesIt) {
    folders_.insert(folders_.begin(), dir_.path() / "missing");
    EXPECT_EQ(FileLock(folders_, "a.lock").path(), path_);
    folders_.pop_back();
    EXPECT_THROW(FileLock(folders_, "a.lock"), Error);
}

}  // namespace
}  // namespace jitune::internal
