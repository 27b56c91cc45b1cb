// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace jitune::internal {

/// `#line 7 "name"` with its end of line: compilers call the next line so in messages. A name is
/// any text: '?' stands for each quote, backslash and control character.
std::string line_directive(int line, std::string_view name);

}  // namespace jitune::internal
