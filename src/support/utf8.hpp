// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace jitune::internal {

/// The number of bytes before the first that does not belong to UTF-8 as RFC 3629 defines it, which
/// has no surrogates, no code point above U+10FFFF and one spelling of each. All bytes:
/// text.size().
std::size_t valid_utf8_bytes(std::string_view text);

}  // namespace jitune::internal
