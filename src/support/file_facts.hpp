// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace jitune::internal {

/// The program or shared library that jitune is part of. Empty where the system does not tell.
std::filesystem::path own_file();

/// Whether a path names something that another user than this one and root has made, or may change.
/// Members of a group may change what it can write, but for the group that a user has for itself.
bool is_foreign(const std::filesystem::path& named);

/// The first of a folder and those above it in which another user than this one and root may rename
/// things; nothing where there is none. A folder with the sticky bit lets only owners do so.
/// `folder` is absolute and has no symlinks.
std::optional<std::filesystem::path> shared_folder_above(const std::filesystem::path& folder);

/// One line that changes when a file is replaced or written: "size=… mtime=… file=<path>", with the
/// path after all symlinks. Empty where there is no such file. Not with the inode, in which
/// machines and containers differ that have the same file.
std::string file_stamp(const std::filesystem::path& path);

}  // namespace jitune::internal
