// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jitune::internal {

/// The columns of a terminal that a line of UTF-8 text takes, one for each character.
std::size_t columns_of(std::string_view text);

/// The text in `columns`, with "…" in place of the end where it is too long.
std::string fitted_begin(std::string_view text, std::size_t columns);

/// The same with "..." in place of the middle: both ends tell something.
std::string fitted_ends(std::string_view text, std::size_t columns);

}  // namespace jitune::internal
