// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "jitune/entropy.hpp"

namespace jitune::internal {

/// An entropy of the natural logarithm from --window and --levels. Throws Error(usage) for text
/// that is not a whole number; the values are checked with the request.
Entropy parse_entropy(std::string_view window, std::string_view levels);

/// Throws Error(usage) for a type that levels are not stored as.
void refuse_other_elements(ElementType type);

}  // namespace jitune::internal
