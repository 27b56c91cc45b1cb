// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/compile_recipe.hpp"
#include "backend/cuda/compile/nvrtc_table.hpp"

namespace jitune::internal {

/// A command of nvcc with those of NVRTC's options that nvcc knows. At its end the text has lines
/// for nvcc that instantiate what NVRTC is asked for by name. Throws Error(unavailable).
CompileRecipe make_cuda_recipe(const DeviceInfo& device, const TemplateSource& source,
                               const Instance& instance);
/// The recipe with this NVRTC.
CompileRecipe make_cuda_recipe(const NvrtcTable& nvrtc, const DeviceInfo& device,
                               const TemplateSource& source, const Instance& instance);

}  // namespace jitune::internal
