// SPDX-License-Identifier: Apache-2.0
#include "template/template_headers.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "jitune/error.hpp"
#include "support/source_scanner.hpp"

namespace jitune::internal {

namespace {

/// The quoted names in the front matter's list `include`, as far as they are files; what else is
/// wrong with it the parser says.
std::vector<std::string> included_toml(const std::string& text) {
    std::vector<std::string> names;
    const std::string front = text.substr(0, text.find("*/"));
    for (std::size_t at = front.find(".toml\""); at != std::string::npos;
         at = front.find(".toml\"", at + 1)) {
        const std::size_t quote = front.rfind('"', at);
        if (quote != std::string::npos) {
            names.push_back(front.substr(quote + 1, at + 5 - quote - 1));
        }
    }
    return names;
}

std::optional<std::string> text_of(std::span<const embedded::File> files, std::string_view name) {
    for (const embedded::File& file : files) {
        if (file.name == name) {
            return std::string(file.text);
        }
    }
    return std::nullopt;
}

}  // namespace

decltype(TemplateSource::headers) headers_of(const std::string& text, const FindHeader& find) {
    std::map<std::string, std::string> found;
    std::deque<std::string> wanted;
    const auto want = [&](const std::vector<std::string>& names) {
        wanted.insert(wanted.end(), names.begin(), names.end());
    };
    want(included_toml(text));
    want(included_names(text));
    for (; !wanted.empty(); wanted.pop_front()) {
        const std::string& name = wanted.front();
        if (found.contains(name)) {
            continue;
        }
        if (auto header = find(name)) {
            found[name] = std::move(*header);
            if (!name.ends_with(".toml")) {
                want(included_names(found[name]));
            }
        }
    }
    return {found.begin(), found.end()};
}

std::optional<std::string> builtin_file(std::string_view name) {
    return text_of(embedded::kernel_templates, name);
}

std::optional<std::string> builtin_header(const std::string& name) {
    return builtin_file("include/" + name);
}

TemplateSource builtin_template(std::string_view name) {
    return embedded_template(embedded::kernel_templates, name);
}

TemplateSource embedded_template(std::span<const embedded::File> files, std::string_view name) {
    auto text = text_of(files, name);
    if (!text) {
        throw Error(ErrorKind::usage, "unknown built-in kernel template " + std::string(name));
    }
    auto headers = headers_of(*text, [&](const std::string& header) {
        auto own = text_of(files, header);
        return own ? std::move(own) : builtin_header(header);
    });
    return {std::string(name), std::move(*text), std::move(headers)};
}

}  // namespace jitune::internal
