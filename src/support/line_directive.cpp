// SPDX-License-Identifier: Apache-2.0
#include "support/line_directive.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace jitune::internal {

std::string line_directive(int line, std::string_view name) {
    constexpr char kFirstPrintable = ' ';
    std::string shown(name);
    std::ranges::replace_if(
        shown,
        [](char c) {
            return c == '"' || c == '\\' || (c >= '\0' && c < kFirstPrintable) || c == '\x7f';
        },
        '?');
    return fmt::format("#line {} \"{}\"\n", line, shown);
}

}  // namespace jitune::internal
