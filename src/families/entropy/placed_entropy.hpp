// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jitune/entropy.hpp"
#include "placement/placed_operation.hpp"

namespace jitune::internal {

extern const PlacedOperation kPlacedEntropy;

/// Works on host memory by a placement that is given: of a good request that has elements. With
/// `as_bytes` levels are uint8 on their way to the devices. Throws as HostPipeline::run does.
void run_placed_entropy(Machine& machine, const Placement& placement, bool as_bytes,
                        const detail::EntropyRequest& request, const void* input, float* output);

}  // namespace jitune::internal
