// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "jitune/entropy.hpp"
#include "spread/placed_call.hpp"

namespace jitune::internal {

extern const PlacedOperation kPlacedEntropy;

/// Works on host memory as `placement` says, for a good request that has elements. With `as_bytes`
/// levels are sent to the devices as uint8. Throws as HostPipeline::run does.
void run_placed_entropy(Machine& machine, const Placement& placement, bool as_bytes,
                        const detail::EntropyRequest& request, const void* input, float* output);

/// Writes `count` elements of uint8, int32 or float32 as levels of one byte. An element
/// outside of [0, levels) becomes the nearest level, a NaN 0, and a fraction is rounded, as in the
/// host's entropy kernel.
void write_level_bytes(const void* elements, ElementType type, std::size_t count, int levels,
                       std::uint8_t* to);

}  // namespace jitune::internal
