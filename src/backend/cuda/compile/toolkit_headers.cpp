// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/toolkit_headers.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "backend/cuda/compile/source_check.hpp"
#include "support/folder_reader.hpp"
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
    const auto known = is_worth_it_.find(headers);
    if (headers.empty() || gave_up_ || (known != is_worth_it_.end() && !known->second)) {
        return {};
    }
    std::error_code error;
    const std::uintmax_t space = std::filesystem::space(folder_, error).available;
    std::error_code no_file;
    const std::uintmax_t own = std::filesystem::file_size(file_, no_file);
    if (error || space + (no_file ? 0 : own) <= kLeastSpace) {
        return {};
    }
    // Suppressed: that behind the headers a #line directive ends what can be kept, and that the
    // last file has other options.
    return {"--pch", "--pch-dir=" + folder_.string(), "--pch-messages=false",
            "--diag-suppress=20283,629"};
}

void PrecompiledHeaders::note(const std::string& headers) {
    constexpr int kMostUnused = 3;
    std::filesystem::path made;
    FolderReader files(folder_.c_str());
    while (const char* const name = files.next()) {
        made = folder_ / name == file_ ? made : folder_ / name;
    }
    unused_ = made.empty() ? 0 : unused_ + 1;
    bool& is_worth_it = is_worth_it_.emplace(headers, !made.empty()).first->second;
    is_worth_it = is_worth_it && unused_ < kMostUnused;
    if (!made.empty()) {
        std::error_code error;
        std::filesystem::remove(std::exchange(file_, made), error);
    }
}

}  // namespace jitune::internal
