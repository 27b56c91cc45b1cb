// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "support/file_descriptor.hpp"
#include "tuner_db/file/journal_mode.hpp"

namespace jitune::internal {

/// The path of a database file, in a directory that no other user can write to. Never opens the
/// file itself: closing it would drop the locks that SQLite holds on it in this process.
class StorePath {
public:
    enum class IfMissing { create, refuse };

    /// Resolves symlinks in the directory and checks its owner and mode. IfMissing::create makes
    /// the directory (0700). Throws Error(store), also if the path does not name a file.
    StorePath(const std::filesystem::path& path, IfMissing if_missing);

    /// Absolute, with no symlink in its directories.
    [[nodiscard]] const std::string& file() const { return file_; }

    /// An open descriptor of the directory that was checked. It stays that directory if another
    /// gets its name.
    [[nodiscard]] FileDescriptor directory() const;

    /// Throws Error(store) if another user may rename the directory, or one above it, so that
    /// file() may lead elsewhere.
    void refuse_movable() const;

    [[nodiscard]] FileSystem file_system() const;

    /// Distinguishes a file from another that has taken its name.
    struct Identity {
        dev_t device = 0;
        ino_t inode = 0;

        bool operator==(const Identity&) const = default;
    };

    /// Creates the file (empty, 0600) if it is missing and IfMissing::create is set. Throws
    /// Error(store) unless it is a regular file with one hard link, owned by this user or root,
    /// that no other user can write.
    [[nodiscard]] Identity check_file() const;

    /// True if the name now belongs to another file or to none.
    [[nodiscard]] bool is_replaced(const Identity& known) const;

    /// Renames the file and its journals to the first free `<file>.bad-<n>` and returns that name,
    /// or nothing if the file is no longer `damaged`: another process has renamed it already. As
    /// long as this object lives, other processes wait, up to 100 ms, before they rename or make a
    /// file here.
    [[nodiscard]] std::optional<std::string> set_aside(const Identity& damaged) const;

private:
    StorePath(const std::filesystem::path& directory, std::string name, IfMissing if_missing);
    [[nodiscard]] std::string first_free_name() const;
    void lock_directory() const;

    IfMissing if_missing_;
    FileDescriptor directory_;
    std::string file_;
    std::string name_;  ///< of the file in its directory
};

/// True if a journal can be made beside the file, which SQLite needs. Also true if there is no file
/// yet.
bool may_write_beside(const std::filesystem::path& file);

}  // namespace jitune::internal
