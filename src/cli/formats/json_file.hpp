// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/formats/json.hpp"

namespace jitune::internal {

/// Limits of a document. Only hostile documents exceed them.
struct JsonLimits {
    int levels = 64;               ///< some functions on values recurse
    std::size_t values = 1 << 24;  ///< a byte of text may make 20 in memory
    std::size_t members = 1024;    ///< of an object: each is compared with all before it
};

/// The document in `text`. Throws Error(usage) with the document's name and, for invalid JSON, the
/// line and column of the error.
Json parse_json(const std::string& text, const std::string& name, const JsonLimits& limits = {});

/// The text of a file, plain or gzip, of at most 256 MiB. Throws Error(usage).
std::string read_json_text(const std::filesystem::path& path);

/// The document in a file, plain or gzip, of at most 256 MiB of text. Throws Error(usage) as
/// parse_json() does.
Json read_json(const std::filesystem::path& path);

/// The member of an object; nullptr where it is missing or `object` is not an object.
const Json* find_member(const Json& object, const char* key);

/// As find_member(). Throws Error(usage) that names a missing member.
const Json& member(const Json& object, const char* key);
/// As member(). Throws Error(usage) also for a value of another kind, and for an integer of more
/// than 63 bits.
std::string text_member(const Json& object, const char* key);
std::int64_t integer_member(const Json& object, const char* key);
const Json& list_member(const Json& object, const char* key);
/// As text_member(), but `otherwise` where the member is missing.
std::string text_member_or(const Json& object, const char* key, const std::string& otherwise);

}  // namespace jitune::internal
