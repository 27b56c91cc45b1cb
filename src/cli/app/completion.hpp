// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/app/command_pages.hpp"

namespace jitune::internal {

/// The script with which a shell completes the words of these pages. Values of options and
/// arguments by place are completed as files. Throws Error(usage) for a shell other than bash, zsh
/// and fish.
std::string completion_script(std::string_view shell, const std::vector<CommandPage>& pages);

}  // namespace jitune::internal
