// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace jitune::internal {

/// Copies as std::memcpy does, but writes around the caches if the CPU supports that. It pays for
/// results larger than the caches: their lines are not read before they are overwritten.
void streaming_copy(void* to, const void* from, std::size_t bytes);

}  // namespace jitune::internal
