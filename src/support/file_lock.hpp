// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>

namespace jitune::internal {

/// A lock that processes of all users share, on a file that stays empty. It ends with the process
/// at the latest. Who waits gets it before who has had it, so that one that needs it again and
/// again keeps nobody out. Used by one thread; each object is a party of its own.
class FileLock {
public:
    /// Opens `name` in the first of `folders` where that goes, or makes it, for all to read and
    /// write; never through a symlink. Throws Error(unavailable).
    FileLock(std::span<const std::filesystem::path> folders, const std::string& name);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Waits for at most `patience`; whether it was got. Throws Error(unavailable) where the file
    /// system has no locks.
    bool acquire(std::chrono::milliseconds patience);
    void release() noexcept;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    int file_ = -1;
};

}  // namespace jitune::internal
