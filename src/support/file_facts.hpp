// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace jitune::internal {

/// The program or shared library that jitune is part of. Empty if the system does not tell.
std::filesystem::path own_file();

/// True if a user other than this one and root has made the file of this path, or may change it.
/// Members of a group may change what the group can write, except for the group that a user has for
/// itself.
bool is_foreign(const std::filesystem::path& named);

/// The first of a folder and the folders above it in which a user other than this one and root may
/// rename things; nothing if there is none. A folder with the sticky bit lets only owners do so.
/// `folder` is absolute and has no symlinks.
std::optional<std::filesystem::path> shared_folder_above(const std::filesystem::path& folder);

/// One line that changes when a file is replaced or written: "size=… mtime=… file=<path>", with the
/// path after all symlinks. Empty if there is no such file. The inode is no part of it, because
/// it differs on machines and containers that share the file.
std::string file_stamp(const std::filesystem::path& path);

}  // namespace jitune::internal
