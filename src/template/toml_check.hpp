// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace jitune::internal {

/// Refuses text that toml++ 3.3 must not read: its behaviour would be undefined, an assertion would
/// fail, or the stack would overflow. Such text has bytes that are not UTF-8; characters other than
/// ASCII outside quotes and comments, or behind a backslash; quotes right behind words; two words
/// side by side, as the parts of a date; tables whose name does not begin as one; brackets that
/// close nothing; keys of hundreds of parts, "a.a.a…". toml++ itself refuses everything else that
/// is not TOML. Throws Error(usage) "<file>:<line>: …"; `first_line` is that of `text`.
void check_toml(std::string_view file, std::string_view text, int first_line);

}  // namespace jitune::internal
