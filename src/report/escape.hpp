// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "support/utf8.hpp"

namespace jitune::internal {

/// Text that a database or a user has named, in one line, as content and as attribute values of
/// HTML and of SVG in it. What is no UTF-8, no character of XML, or turns the direction of the text
/// around it is shown as U+FFFD. Of more than `most` characters the rest is "…".
std::string escaped(std::string_view text, std::size_t most = kShownCharacters);

}  // namespace jitune::internal
