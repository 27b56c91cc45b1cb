// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/compile_recipe.hpp"

namespace jitune::internal {

/// Returns the command line that HostCompiler runs. Throws Error(unavailable) if the machine has no
/// C++ compiler.
CompileRecipe make_host_recipe(const DeviceInfo& device, const TemplateSource& source,
                               const Instance& instance);

}  // namespace jitune::internal
