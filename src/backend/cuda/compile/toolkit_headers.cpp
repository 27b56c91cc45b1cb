// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/toolkit_headers.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "backend/cuda/compile/source_check.hpp"
#include "support/line_directive.hpp"

namespace jitune::internal {
namespace {

/// Where the template's own text begins, behind the lines that define its parameters.
std::size_t begin_of_template(const TemplateSource& source) {
    const std::string line = line_directive(1, source.name);
    const std::size_t at = source.text.find(line);
    return at == std::string::npos ? 0 : at + line.size();
}

/// `text` from its first line on that is neither blank nor comment.
std::string_view behind_comments(std::string_view text) {
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
        const bool is_line = text.starts_with("//");
        if (!is_line && !text.starts_with("/*")) {
            return text;
        }
        const std::size_t end = is_line ? text.find('\n') : text.find("*/");
        text.remove_prefix(end == text.npos ? text.size() : end + (is_line ? 1 : 2));
    }
}

/// The header that a line `#include <name>` names, perhaps with a comment behind; empty for others.
std::string_view header_of(std::string_view line) {
    constexpr std::string_view kBegin = "#include <";
    const std::size_t end = line.find('>');
    if (!line.starts_with(kBegin) || end == line.npos) {
        return {};
    }
    const std::string_view behind = line.substr(end + 1);
    const std::size_t next = std::min(behind.find_first_not_of(" \t\r"), behind.size());
    const bool is_alone = next == behind.size() || behind.substr(next).starts_with("//");
    return is_alone && !line.ends_with('\\') ? line.substr(kBegin.size(), end - kBegin.size())
                                             : std::string_view();
}

}  // namespace

std::string leading_toolkit_headers(const TemplateSource& source,
                                    std::span<const std::string> toolkit_folders) {
    std::string headers;
    if (!source.include_folders.empty()) {
        return headers;
    }
    std::string_view rest =
        behind_comments(std::string_view(source.text).substr(begin_of_template(source)));
    while (true) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        const std::string name(header_of(line));
        const bool is_own = std::any_of(source.headers.begin(), source.headers.end(),
                                        [&](const auto& header) { return header.first == name; });
        if (name.empty() || is_own || !is_header_of(toolkit_folders, name)) {
            return headers;
        }
        headers += fmt::format("#include <{}>\n", name);
        rest = behind_comments(rest.substr(line.size()));
    }
}

std::string with_headers_first(const TemplateSource& source, std::string_view headers,
                               std::string_view mark) {
    if (headers.empty()) {
        return source.text;
    }
    const bool has_line = begin_of_template(source) > 0;
    return fmt::format("{}{}{}{}", headers, mark, has_line ? "" : line_directive(1, source.name),
                       source.text);
}

std::vector<std::string> PrecompiledHeaders::options(const std::string& headers) {
    constexpr std::uintmax_t kLeastSpace = std::uintmax_t{1} << 30;
    if (headers.empty() || gave_up_) {
        return {};
    }
    std::error_code error;
    const auto known = kept_.find(headers);
    const bool is_worth_it = known != kept_.end()
                                 ? known->second
                                 : std::filesystem::space(folder_, error).available > kLeastSpace;
    if (error || !is_worth_it) {
        return {};
    }
    // Suppressed: that behind the headers a #line directive ends what can be kept.
    return {"--pch", "--pch-dir=" + folder_.string(), "--pch-messages=false",
            "--diag-suppress=20283"};
}

void PrecompiledHeaders::note(const std::string& headers) {
    if (!kept_.contains(headers)) {
        const std::size_t now = files();
        kept_[headers] = now > files_;
        files_ = now;
    }
}

std::size_t PrecompiledHeaders::files() const {
    std::error_code error;
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_, error), {}));
}

}  // namespace jitune::internal
