// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace jitune::internal {

/// Refuses what toml++ 3.3 must not see, since it does not refuse it itself: its behaviour would be
/// undefined, an assertion would fail, or the stack would overflow. Such are bytes that are not
/// UTF-8; characters other than ASCII outside quotes and comments, or behind a backslash; quotes
/// right behind words; two words side by side, as the parts of a date; tables whose name does not
/// begin as one; brackets that close nothing; keys of hundreds of parts, "a.a.a…". All else that is
/// not TOML is left to toml++. Throws Error(usage) "<file>:<line>: …"; `first_line` is that of
/// `text`.
void check_toml(std::string_view file, std::string_view text, int first_line);

}  // namespace jitune::internal
