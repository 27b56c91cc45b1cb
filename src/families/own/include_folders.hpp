// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// The folders of the front matter's key `include_folders`, absolute; a relative one begins in
/// `folder`, the template's. Empty if the front matter cannot be read, which its parser reports.
/// Throws Error(usage) for one that is no folder.
std::vector<std::string> include_folders_of(const std::string& text,
                                            const std::filesystem::path& folder);

/// True if the path, which an #include names, is a file. Throws Error(usage) if it is neither a
/// file nor a folder, such as a named pipe, for which a compiler would wait.
bool is_header_file(const std::filesystem::path& path);

/// A digest of all headers that the text of `source` or one of its own headers includes from its
/// folders, directly or through others. Empty without folders. Throws Error(usage) for more than 20
/// 000 headers, and as is_header_file() does.
std::string digest_of_folders(const TemplateSource& source);

}  // namespace jitune::internal
