// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>

namespace jitune::internal {

/// A lock that processes of all users share, on a file that stays empty. It ends with the process
/// at the latest. It is fair: a waiter gets it before the last holder, so that a party that takes
/// it again and again keeps nobody out. Used by one thread; each object is a party of its own.
class FileLock {
public:
    /// Opens or creates `name` in the first of `folders` that allows it. All users may read and
    /// write the file; a symlink is not followed. Throws Error(unavailable).
    FileLock(std::span<const std::filesystem::path> folders, const std::string& name);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Waits for at most `patience`; true if the lock is held now. Throws Error(unavailable) if the
    /// file system has no locks.
    bool acquire(std::chrono::milliseconds patience);
    void release() noexcept;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int file_ = -1;
};

}  // namespace jitune::internal
