// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/device.hpp"
#include "template/front_matter.hpp"

namespace jitune::internal {

/// Reads the front matter of a template and the TOML files that it includes. Throws Error(usage):
/// file, line, what is wrong, what would be right. Refuses unknown keys, unknown names in
/// expressions and identifiers that are not [A-Za-z_][A-Za-z0-9_]*.
FrontMatter parse_front_matter(const TemplateSource& source);

/// Reads the key `include_folders` of a template's text, and nothing else of its front matter.
/// Empty if it cannot be read: parse_front_matter() reports that.
std::vector<std::string> include_folders_in(const std::string& text);

}  // namespace jitune::internal
