// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace jitune::internal {

/// Bytes that this process can still use without the system ending it, as far as Linux tells:
/// malloc promises more. The least of what the machine and each control group around
/// the process have left, file caches counted as free. The largest size_t where nothing is known.
std::size_t available_memory();

/// Throws Error(unavailable) if so many bytes are more than available_memory(). Asks the system
/// only for amounts that matter.
void refuse_unavailable_memory(std::size_t bytes);

}  // namespace jitune::internal
