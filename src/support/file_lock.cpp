// SPDX-License-Identifier: Apache-2.0
#include "support/file_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/loop_clock.hpp"

namespace jitune::internal {

namespace {

using std::chrono::microseconds;

constexpr microseconds kLongestPause{1'000};

// Locks on two bytes of the file, which stays empty. The next party in turn holds the queue while
// it waits for the lock.
constexpr off_t kLock = 0;
constexpr off_t kQueue = 1;

/// The file, or none with errno.
FileDescriptor open_or_make(const std::filesystem::path& path, FileLock::Among among) {
    const mode_t mode = among == FileLock::Among::all_users ? 0666 : 0600;
    constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    // O_CREAT comes second: in a sticky folder the kernel refuses it for a file of another user.
    FileDescriptor file(open(path.c_str(), kFlags));
    if (file.number() < 0 && errno == ENOENT) {
        file = FileDescriptor(open(path.c_str(), kFlags | O_CREAT | O_EXCL, mode));
        if (file.number() >= 0) {
            static_cast<void>(fchmod(file.number(), mode));  // the umask may have removed bits
        } else if (errno == EEXIST) {
            file = FileDescriptor(open(path.c_str(), kFlags));
        }
    }
    struct stat status {};
    if (file.number() < 0) {
        return file;
    }
    if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
        file.close();
        errno = EINVAL;
    } else if (among == FileLock::Among::this_user && status.st_uid != geteuid()) {
        file.close();
        errno = EPERM;
    }
    return file;
}

/// Sets a lock of the open file rather than of the process, so that two threads are two parties.
int set(const FileDescriptor& file, short kind, off_t byte) {
    struct flock lock {};
    lock.l_type = kind;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return fcntl(file.number(), F_OFD_SETLK, &lock);
}

bool wait_for(const FileDescriptor& file, off_t byte, std::chrono::milliseconds patience,
              LoopClock& time) {
    for (microseconds pause{50};; pause = std::min(2 * pause, kLongestPause)) {
        if (set(file, F_WRLCK, byte) == 0) {
            return true;
        }
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            throw_system_error(ErrorKind::unavailable, "cannot lock a file: fcntl", errno);
        }
        if (time.turn() >= patience) {
            return false;
        }
        std::this_thread::sleep_for(pause);
    }
}

}  // namespace

FileLock::FileLock(std::span<const std::filesystem::path> folders, const std::string& name,
                   Among among) {
    std::string answers;
    int code = 0;
    for (const std::filesystem::path& folder : folders) {
        path_ = folder / name;
        file_ = open_or_make(path_, among);
        if (file_.number() >= 0) {
            return;
        }
        code = errno;
        answers += fmt::format("{}{}: {}", answers.empty() ? "" : "; ", path_.string(),
                               std::strerror(code));
    }
    throw Error(ErrorKind::unavailable, "cannot open a lock file: " + answers,
                {NativeCode::Source::system, code});
}

FileLock::~FileLock() {
    release();
}

bool FileLock::acquire(std::chrono::milliseconds patience) {
    LoopClock time(kLongestPause, 1000 * kLongestPause);
    const bool next = wait_for(file_, kQueue, patience, time);
    const bool got = next && wait_for(file_, kLock, patience, time);
    set(file_, F_UNLCK, kQueue);
    return got;
}

FileLock::Turn FileLock::ask(std::chrono::steady_clock::time_point now) {
    constexpr std::chrono::minutes kLongest{1};
    if (acquire(std::chrono::milliseconds(0))) {
        refused_since_.reset();
        return Turn::locked;
    }
    refused_since_ = refused_since_.value_or(now);
    return now - *refused_since_ >= kLongest ? Turn::overdue : Turn::refused;
}

void FileLock::release() noexcept {
    set(file_, F_UNLCK, kLock);
}

}  // namespace jitune::internal
