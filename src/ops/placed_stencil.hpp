#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jitune/stencil.hpp"
#include "ops/placed_operations.hpp"

namespace jitune {

/// The row of placed_operations().
std::shared_ptr<const Program> load_placed_stencil(Machine& machine,
                                                   const std::vector<std::string>& values);
Kernel placed_stencil_kernel(Machine& machine);

/// Works on host memory by a placement that is given: of a good request that has outputs.
/// `weights` are StencilWeights::data(). Throws as HostPipeline::run does.
void run_placed_stencil(Machine& machine, const Placement& placement,
                        const detail::StencilRequest& request, const void* input, void* weights,
                        void* output);

}  // namespace jitune
