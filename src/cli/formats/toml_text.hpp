// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jitune::internal {

/// A string of TOML with this content, in quotes. It does not end a comment of C++ around it.
std::string toml_text(std::string_view content);

/// A list of such strings.
std::string toml_list(std::span<const std::string> contents);

}  // namespace jitune::internal
