// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace jitune::internal {

/// One line that changes when a file is replaced or written: "size=… mtime=… file=<path>", with the
/// path after all symlinks. Empty where there is no such file. Not with the inode, in which
/// machines and containers differ that have the same file.
std::string file_stamp(const std::filesystem::path& path);

}  // namespace jitune::internal
