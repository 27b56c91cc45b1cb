// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "jitune/reduction.hpp"

namespace jitune::internal {

/// An operation from a TOML document with the fields of CustomOperation as its keys. Throws
/// Error(usage) "<file>:<line>: …" for unknown keys, missing keys and values of a wrong kind. The
/// compiler checks the C++ in it.
CustomOperation parse_custom(std::string_view text, const std::string& file);

/// The operation in a file. Throws Error(usage) as parse_custom() and read_text_file() do.
CustomOperation read_custom(const std::filesystem::path& path);

}  // namespace jitune::internal
