// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "template/front_matter.hpp"
#include "template/front_matter_scope.hpp"

namespace jitune::internal {

/// Reads the keys `options` and `include_folders`, after parameters, types and `defines`. Throws
/// Error(usage) with the place.
void read_options(const FrontMatterScope& scope, const toml::table& root, FrontMatter& front);

/// Says what is wrong with an option for the compiler of a platform; empty if nothing is. Refuses
/// text that is no option, and options that would change what jitune gives to the compiler or gets
/// from it.
std::string flaw_of_option(PlatformKind platform, std::string_view option);

/// OptionSpec::text with the text of each name in its place.
std::string filled_option(std::string_view text,
                          const std::function<std::string(const std::string&)>& text_of);

}  // namespace jitune::internal
