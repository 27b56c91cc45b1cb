// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace jitune::internal {

/// Reads a T at a place of `bytes`; false if they end before.
template <typename T>
bool read_at(std::string_view bytes, std::uint64_t at, T& value) {
    if (at > bytes.size() || sizeof value > bytes.size() - at) {
        return false;
    }
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return true;
}

/// Returns the content of the section with this name in a 64-bit ELF image. Nothing if the image is
/// none, is damaged, or has no such section.
std::optional<std::string_view> elf_section(std::string_view image, const std::string& name);

}  // namespace jitune::internal
