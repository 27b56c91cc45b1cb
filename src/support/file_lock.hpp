// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "support/file_descriptor.hpp"

namespace jitune::internal {

/// A lock that processes share, on a file that stays empty. It ends with the process
/// at the latest. It is fair: a waiter gets it before the last holder, so that a party that takes
/// it again and again keeps nobody out. Used by one thread; each object is a party of its own.
class FileLock {
public:
    /// The users whose processes share the lock.
    enum class Among { all_users, this_user };

    /// Opens or creates `name` in the first of `folders` that allows it. Among all users, all may
    /// read and write the file; among this user's processes, the file of another user is refused. A
    /// symlink is not followed. Throws Error(unavailable).
    FileLock(std::span<const std::filesystem::path> folders, const std::string& name,
             Among among = Among::all_users);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Waits for at most `patience`; true if the lock is held now. Throws Error(unavailable) if the
    /// file system has no locks.
    bool acquire(std::chrono::milliseconds patience);
    void release() noexcept;

    enum class Turn { locked, overdue, refused };
    /// As acquire(0), for a party that asks now and then. The party is overdue after it has been
    /// refused for a minute, until it gets the lock: a holder that keeps the lock so long, perhaps
    /// for ever, must not keep others from work that can also run beside it.
    Turn ask(std::chrono::steady_clock::time_point now);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    FileDescriptor file_;
    std::optional<std::chrono::steady_clock::time_point> refused_since_;  ///< by ask()
};

}  // namespace jitune::internal
