// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jitune::internal {

/// What the #include directives of C++ text name, those in comments and strings left out. Where a
/// directive does not say its name literally (a macro, #include_next, #import), its whole line,
/// which is no header's name.
std::vector<std::string> included_names(std::string_view text);

}  // namespace jitune::internal
