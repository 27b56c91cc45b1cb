// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "template/front_matter.hpp"
#include "template/front_matter_scope.hpp"

namespace jitune::internal {

/// Reads the tables [[launch]] and [reference] of `root` into `front`, whose types, parameters and
/// arguments are there already. Throws Error(usage) with the place.
void read_launches(const FrontMatterScope& scope, const toml::table& root, FrontMatter& front);

}  // namespace jitune::internal
