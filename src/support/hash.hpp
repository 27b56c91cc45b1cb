// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace jitune::internal {

/// 128 bits of XXH3: finds accidents, not attackers.
using Digest = std::array<std::byte, 16>;

/// Hashes typed, length-prefixed fields, so that no two different field lists give the same input.
class Hasher {
public:
    /// `tag` names the kind of data: equal fields of two kinds have different digests.
    explicit Hasher(std::string_view tag) { text(tag); }

    Hasher& text(std::string_view value) { return field('t', value.data(), value.size()); }
    Hasher& bytes(std::span<const std::byte> value) {
        return field('b', value.data(), value.size());
    }
    Hasher& integer(std::int64_t value) { return field('i', &value, sizeof value); }
    Hasher& real(double value) { return field('r', &value, sizeof value); }

    [[nodiscard]] Digest digest() const;

private:
    Hasher& field(char kind, const void* data, std::size_t size);

    std::string buffer_;
};

/// 64 bits of XXH3 that continue `seed`, for tables in memory that every call searches.
std::uint64_t quick_hash(std::string_view text, std::uint64_t seed);

/// 32 lower-case hexadecimal digits.
std::string hex(const Digest& digest);

}  // namespace jitune::internal
