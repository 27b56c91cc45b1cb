// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/device.hpp"
#include "support/embedded.hpp"

namespace jitune::internal {

/// The text of a header by the name that a directive gives it, or nothing.
using FindHeader = std::function<std::optional<std::string>(const std::string& name)>;

/// Everything that the text of a template includes and its front matter names, and what that
/// includes, as far as `find` has it; what it has not is for the compiler to say or to find.
decltype(TemplateSource::headers) headers_of(const std::string& text, const FindHeader& find);

/// The text of a file of kernel_templates/, by its path there; nothing for another name.
std::optional<std::string> builtin_file(std::string_view name);

/// One of jitune's own headers.
std::optional<std::string> builtin_header(const std::string& name);

/// One of jitune's own templates with the headers that it includes: "reduce.cu". A change to a
/// header of one family is then no change to another. Throws Error(usage) where there is none.
TemplateSource builtin_template(std::string_view name);

/// A template of another table of embedded files, whose headers are of that table or jitune's own.
TemplateSource embedded_template(std::span<const embedded::File> files, std::string_view name);

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

/// `source` with every rewritten passage as it was. A text that has no such passage stays as it is.
TemplateSource with_known_passages(
    TemplateSource source,
    std::span<const RewrittenPassage> passages = template_identities().passages);

/// 32 hex digits over the known text of a template and its headers: of the code, the search space
/// and the launch rules. Part of the key of stored winners.
std::string template_identity(const TemplateSource& source);

}  // namespace jitune::internal
