// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/entropy.hpp"
#include "spread/placed_call.hpp"

namespace jitune::internal {

extern const PlacedOperation kPlacedEntropy;

/// Works on host memory as `placement` says, for a good request that has elements. With `as_bytes`
/// levels are sent to the devices as uint8. Throws as HostPipeline::run does.
void run_placed_entropy(Machine& machine, const Placement& placement, bool as_bytes,
                        const detail::EntropyRequest& request, const void* input, float* output);

}  // namespace jitune::internal
