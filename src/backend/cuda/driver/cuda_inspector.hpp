// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/kernel_inspector.hpp"

namespace jitune::internal {

/// Of GPUs from compute capability 7.5 to 12.1: resources from what ptxas says with -v, parameters
/// from the cubin, occupancy by NVIDIA's calculation in cuda_occupancy.h.
std::unique_ptr<const KernelInspector> make_cuda_inspector();

}  // namespace jitune::internal
