// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// The names in the #include directives of C++ text, except those in comments and strings. For a
/// directive without a literal name (a macro, #include_next, #import), its whole line, which is not
/// the name of any header.
std::vector<std::string> included_names(std::string_view text);

}  // namespace jitune::internal
