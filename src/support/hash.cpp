// SPDX-License-Identifier: Apache-2.0
#include "support/hash.hpp"

#include <cstring>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace jitune::internal {

Hasher& Hasher::field(char kind, const void* data, std::size_t size) {
    const std::uint64_t length = size;
    buffer_.push_back(kind);
    buffer_.append(reinterpret_cast<const char*>(&length), sizeof length);
    buffer_.append(static_cast<const char*>(data), size);
    return *this;
}

Digest Hasher::digest() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(buffer_.data(), buffer_.size()));
    Digest digest;
    static_assert(sizeof canonical.digest == sizeof digest);
    std::memcpy(digest.data(), canonical.digest, sizeof digest);
    return digest;
}

std::uint64_t quick_hash(std::string_view text, std::uint64_t seed) {
    return XXH3_64bits_withSeed(text.data(), text.size(), seed);
}

std::string hex(const Digest& digest) {
    std::string text;
    for (const std::byte value : digest) {
        text += fmt::format("{:02x}", std::to_integer<unsigned>(value));
    }
    return text;
}

}  // namespace jitune::internal
