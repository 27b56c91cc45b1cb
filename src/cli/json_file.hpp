// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace jitune::internal {

/// A document that was read; keys in the order they were written. Json is for writing.
using ParsedJson = nlohmann::ordered_json;

/// The document in a file, plain or gzip, of at most 256 MiB of text. Throws Error(usage) with the
/// path and, for what is no JSON, the line and column where it ceases to be.
ParsedJson read_json(const std::filesystem::path& path);

/// The member of an object, or nullptr where there is none or `object` is no object.
const ParsedJson* find_member(const ParsedJson& object, const char* key);

/// As above. Throws Error(usage) that names the member.
const ParsedJson& member(const ParsedJson& object, const char* key);
/// As above, and of that kind.
std::string text_member(const ParsedJson& object, const char* key);
std::int64_t integer_member(const ParsedJson& object, const char* key);
const ParsedJson& list_member(const ParsedJson& object, const char* key);
/// `otherwise` where there is none.
std::string text_member_or(const ParsedJson& object, const char* key, const std::string& otherwise);

}  // namespace jitune::internal
