// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tuner_db/file_system.hpp"

namespace jitune::internal {

/// The place of a database file, in a directory that nobody else can write to. Never opens the file
/// itself: closing it would drop the locks that SQLite holds on it in this process.
class StorePath {
public:
    enum class IfMissing { create, refuse };

    /// Resolves symlinks in the directory, checks its owner and mode, and creates it (0700) if
    /// asked to. Throws Error(store), also for a path that is no file name.
    StorePath(const std::filesystem::path& path, IfMissing if_missing);

    /// Absolute, with no symlink in its directories.
    [[nodiscard]] const std::string& file() const { return file_; }

    [[nodiscard]] FileSystem file_system() const;

    /// Tells one file from another that took its name.
    struct Identity {
        dev_t device = 0;
        ino_t inode = 0;

        bool operator==(const Identity&) const = default;
    };

    /// Creates the file (empty, 0600) if missing and asked to. Throws Error(store) unless it is a
    /// regular file with one name, owned by this user or root and writable by nobody else.
    [[nodiscard]] Identity check_file() const;

    /// True if the name is now another file's or nobody's.
    [[nodiscard]] bool is_replaced(const Identity& known) const;

    /// Renames the file and its journals to the first free `<file>.bad-<n>` and returns that name,
    /// or nothing if the file is no longer `damaged`: another process has set it aside already.
    /// Until this object ends, other processes wait, up to 100 ms, before they set anything aside
    /// or make a new file here.
    [[nodiscard]] std::optional<std::string> set_aside(const Identity& damaged) const;

private:
    struct Descriptor {
        explicit Descriptor(int number) : fd(number) {}
        ~Descriptor();
        Descriptor(const Descriptor&) = delete;
        Descriptor& operator=(const Descriptor&) = delete;

        const int fd;
    };
    StorePath(const std::filesystem::path& directory, std::string name, IfMissing if_missing);
    [[nodiscard]] std::string first_free_name() const;
    void lock_directory() const;

    IfMissing if_missing_;
    Descriptor directory_;
    std::string file_;
    std::string name_;  ///< of the file in its directory
};

}  // namespace jitune::internal
