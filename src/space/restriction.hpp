// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "space/search_space.hpp"

namespace jitune::internal {

/// The parameters with the values that restrictions leave them: "block=256,512", or "block=64..512"
/// for all listed integers from 64 to 512. A default that is left out gives way to the first value
/// left. Throws Error(usage) for a text of another form, an unknown name or value, and a parameter
/// that is named twice; it then lists what there is.
std::vector<Parameter> restricted_parameters(const std::vector<Parameter>& parameters,
                                             std::span<const std::string> restrictions);

/// The part of a space that restrictions leave. Throws Error(usage) as restricted_parameters()
/// does, and if the part is empty: the error names the restriction that empties it, or all of them.
SearchSpace restricted_space(const SearchSpace& space, std::span<const std::string> restrictions);

}  // namespace jitune::internal
