// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace jitune::internal {

/// The text of a source file, at most 16 MiB. Throws Error(usage): no such file, not readable, not
/// a regular file, longer.
std::string read_text_file(const std::filesystem::path& path);

}  // namespace jitune::internal
