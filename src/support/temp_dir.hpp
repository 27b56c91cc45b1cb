// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace jitune::internal {

/// A new, empty directory that only this user may enter, under $TMPDIR; under /tmp if that is
/// not set, or if other users may rename what is in it or above it. The destructor removes it
/// with everything in it; if the process was killed, the first TempDir of a later process does.
class TempDir {
public:
    /// The prefix of the names of directories whose owner has this process_identity():
    /// "jitune-8d3f…-4711-123456-", of where the process runs, its number and its start.
    static std::string prefix_of(const std::string& identity);

    /// Removes the directories of this user in `folder` whose owners have certainly ended. Does not
    /// throw.
    static void remove_abandoned(const std::filesystem::path& folder) noexcept;

    /// Throws Error(unavailable).
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Writes a file, makes the folders that lead to it, and returns its full path. Throws
    /// Error(usage) unless `name` is relative and stays inside, and Error(unavailable) if the file
    /// cannot be written.
    [[nodiscard]] std::filesystem::path write(std::string_view name, std::string_view text) const;

private:
    std::filesystem::path path_;
};

}  // namespace jitune::internal
