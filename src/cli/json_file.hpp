// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "cli/output.hpp"

namespace jitune::internal {

/// The document in a file, plain or gzip, of at most 256 MiB of text. Throws Error(usage) with the
/// path and, for what is no JSON, the line and column where it ceases to be.
Json read_json(const std::filesystem::path& path);

/// The member of an object, or nullptr where there is none or `object` is no object.
const Json* find_member(const Json& object, const char* key);

/// As above. Throws Error(usage) that names the member.
const Json& member(const Json& object, const char* key);
/// As above, and of that kind.
std::string text_member(const Json& object, const char* key);
std::int64_t integer_member(const Json& object, const char* key);
const Json& list_member(const Json& object, const char* key);
/// `otherwise` where there is none.
std::string text_member_or(const Json& object, const char* key, const std::string& otherwise);

}  // namespace jitune::internal
