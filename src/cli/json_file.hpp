// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace jitune::internal {

/// A document that was read; keys in the order they were written. Json is for writing.
using ParsedJson = nlohmann::ordered_json;

/// The document in a file, plain or gzip, of at most 256 MiB of text. Throws Error(usage) with the
/// path and, for invalid JSON, the line and column of the error.
ParsedJson read_json(const std::filesystem::path& path);

/// The member of an object; nullptr where it is missing or `object` is not an object.
const ParsedJson* find_member(const ParsedJson& object, const char* key);

/// As find_member(). Throws Error(usage) that names a missing member.
const ParsedJson& member(const ParsedJson& object, const char* key);
/// As member(). Throws Error(usage) also for a value of another kind.
std::string text_member(const ParsedJson& object, const char* key);
std::int64_t integer_member(const ParsedJson& object, const char* key);
const ParsedJson& list_member(const ParsedJson& object, const char* key);
/// As text_member(), but `otherwise` where the member is missing.
std::string text_member_or(const ParsedJson& object, const char* key, const std::string& otherwise);

}  // namespace jitune::internal
