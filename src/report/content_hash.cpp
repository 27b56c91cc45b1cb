// SPDX-License-Identifier: Apache-2.0
#include "report/content_hash.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>

namespace jitune::internal {

namespace {

std::uint32_t byte_at(std::string_view hex, std::size_t place) {
    std::uint32_t value = 0;
    if (2 * place + 1 < hex.size()) {
        std::from_chars(hex.data() + 2 * place, hex.data() + 2 * place + 2, value, 16);
    }
    return value;
}

/// Base64 of the bytes that hexadecimal digits spell.
std::string base64_of(std::string_view hex) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t bytes = hex.size() / 2;
    std::string text;
    for (std::size_t i = 0; i < bytes; i += 3) {
        const std::uint32_t group =
            byte_at(hex, i) << 16 | byte_at(hex, i + 1) << 8 | byte_at(hex, i + 2);
        for (std::size_t digit = 0; digit < 4; ++digit) {
            const bool padding = i + digit > bytes;
            text += padding ? '=' : kDigits[group >> (18 - 6 * digit) & 63];
        }
    }
    return text;
}

}  // namespace

std::string content_hash(const embedded::File& file) {
    return "sha256-" + base64_of(file.sha256);
}

}  // namespace jitune::internal
