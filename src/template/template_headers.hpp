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

/// All headers that a template's text includes or its front matter names, and the headers that
/// these include, as far as `find` has them. The compiler finds other headers, or reports them.
decltype(TemplateSource::headers) headers_of(const std::string& text, const FindHeader& find);

/// The text of a file of kernel_templates/, by its path there; nothing for another name.
std::optional<std::string> builtin_file(std::string_view name);

/// One of jitune's own headers.
std::optional<std::string> builtin_header(const std::string& name);

/// One of jitune's own templates with the headers that it includes: "reduce.cu". So a change to a
/// header of one family does not change the templates of another. Throws Error(usage) if there is
/// no such template.
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

/// `source` with the known text of every rewritten passage in its place. A text that has no such
/// passage stays as it is.
TemplateSource with_known_passages(
    TemplateSource source,
    std::span<const RewrittenPassage> passages = template_identities().passages);

/// 32 hexadecimal digits over the known text of a template and its headers, so over code, search
/// space and launch rules, but not over the tables [[default]]. Part of the key of stored winners.
std::string template_identity(const TemplateSource& source);

}  // namespace jitune::internal
