// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace jitune::internal {

/// One line that changes when a file is replaced or written: "size=… mtime=… file=<path>", with the
/// path after all symlinks. Empty where there is no such file. The inode is no part of it, because
/// it differs on machines and containers that share the file.
std::string file_stamp(const std::filesystem::path& path);

}  // namespace jitune::internal
