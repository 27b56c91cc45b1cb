// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "jitune/stencil.hpp"
#include "spread/placed_call.hpp"

namespace jitune::internal {

extern const PlacedOperation kPlacedStencil;

/// Works on host memory as `placement` says, for a good request that has outputs. `weights` are
/// StencilWeights::data(). Throws as HostPipeline::run does.
void run_placed_stencil(Machine& machine, const Placement& placement,
                        const detail::StencilRequest& request, const void* input, void* weights,
                        void* output);

}  // namespace jitune::internal
