// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "template/front_matter.hpp"
#include "template/front_matter_scope.hpp"

namespace jitune::internal {

/// Reads the table `texture` of an argument of a CUDA template: `where` names the argument, `count`
/// is the text of its count, and its elements may be of any of `types`. Throws Error(usage) with
/// the place.
TextureSpec read_texture(const FrontMatterScope& scope, const toml::node& texture,
                         const std::string& where, const std::string& count,
                         const std::vector<std::string>& types);

}  // namespace jitune::internal
