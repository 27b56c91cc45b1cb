// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "template/front_matter.hpp"
#include "template/front_matter_scope.hpp"

namespace jitune::internal {

/// Reads the table [arguments] into `front`, whose types are there already. Throws Error(usage)
/// with the place.
void read_arguments(const FrontMatterScope& scope, const toml::node& arguments, FrontMatter& front);

}  // namespace jitune::internal
