// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// Text of built-in templates, or of files that they include, that was rewritten without changing
/// the kernels: a row of kernel_templates/identities.toml.
struct RewrittenPassage {
    std::vector<std::string> files;  ///< "reduce.cu", "jitune_block.h"
    std::string present;             ///< stands in each of the files exactly once
    std::string known;               ///< the text in its place under which the template is known
};

/// kernel_templates/identities.toml, read on first use.
struct TemplateIdentities {
    std::map<std::string, std::string> hashes;  ///< "reduce.cu" -> template_identity() of it
    std::vector<RewrittenPassage> passages;
};
const TemplateIdentities& template_identities();

/// `source` with the known text of every rewritten passage in its place. A text that has no such
/// passage stays as it is.
TemplateSource with_known_passages(
    TemplateSource source,
    std::span<const RewrittenPassage> passages = template_identities().passages);

/// 32 hexadecimal digits over the known text of a template and its headers, so over code, search
/// space and launch rules. Part of the key of stored winners.
std::string template_identity(const TemplateSource& source);

}  // namespace jitune::internal
