// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace jitune::internal {

/// A new, empty directory that only this user may enter, under $TMPDIR (else /tmp). Removed with
/// the object, and everything in it.
class TempDir {
public:
    /// Throws Error(unavailable).
    TempDir();
    ~TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Writes a file and the folders that lead to it; answers its full path. `name` is relative and
    /// does not leave the directory: Error(usage) otherwise. Throws Error(unavailable).
    [[nodiscard]] std::filesystem::path write(std::string_view name, std::string_view text) const;

private:
    std::filesystem::path path_;
};

}  // namespace jitune::internal
