// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace jitune::internal {

/// True if `bytes` has `size` bytes at a place.
inline bool is_within(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
    return at <= bytes.size() && size <= bytes.size() - at;
}

/// Reads a T at a place of `bytes`; false where they end before.
template <typename T>
bool read_at(std::string_view bytes, std::uint64_t at, T& value) {
    const bool is_there = is_within(bytes, at, sizeof value);
    if (is_there) {
        std::memcpy(&value, bytes.data() + at, sizeof value);
    }
    return is_there;
}

/// Why the image is no 64-bit little-endian ELF file for this machine (EM_CUDA); empty if it is.
std::string_view flaw_of_elf(std::string_view image, unsigned machine);

/// Returns the content of the section with this name in a 64-bit ELF image. Nothing if the image is
/// none, is damaged, or has no such section.
std::optional<std::string_view> elf_section(std::string_view image, const std::string& name);

}  // namespace jitune::internal
