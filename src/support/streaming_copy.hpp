// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace jitune::internal {

/// As std::memcpy, but what is written goes past the caches where the CPU can do that: for results
/// that are larger than those, which are then not read before they are written.
void streaming_copy(void* to, const void* from, std::size_t bytes);

}  // namespace jitune::internal
