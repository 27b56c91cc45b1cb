// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "strategy/recorded_space.hpp"

namespace jitune::internal {

/// The recorded results in the text of a document: a cache of Kernel Tuner, also one that it has
/// not closed, or T4. Throws Error(usage) with the document's name.
RecordedSpace parse_recorded(const std::string& text, const std::string& name);

/// As above, from a file, plain or gzip.
RecordedSpace read_recorded(const std::filesystem::path& path);

}  // namespace jitune::internal
