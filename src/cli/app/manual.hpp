// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/app/command_pages.hpp"

namespace jitune::internal {

/// The name of a command's manual page: "jitune-sweep-reduce".
std::string manual_name(const CommandPage& page);

/// The page of section 1 in the language of man(7). `version` is the program's, as "0.2.0".
std::string manual_text(const CommandPage& page, const std::string& version);

}  // namespace jitune::internal
