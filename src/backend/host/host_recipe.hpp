// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/compile_recipe.hpp"

namespace jitune::internal {

/// The very command that the host's compiler gets. Throws Error(unavailable) where there is none.
CompileRecipe make_host_recipe(const DeviceInfo& device, const TemplateSource& source,
                               const Instance& instance);

}  // namespace jitune::internal
