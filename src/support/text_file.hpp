// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace jitune::internal {

/// The text of a source file. Throws Error(usage): the file is missing, not readable, not a regular
/// file, or longer than 16 MiB.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace jitune::internal
