// SPDX-License-Identifier: Apache-2.0
#include "template/template_headers.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "jitune/error.hpp"
#include "support/hash.hpp"
#include "support/source_scanner.hpp"
#include "template/default_rules.hpp"
#include "template/toml_reader.hpp"

namespace jitune::internal {
namespace {

/// The names in either quotes in the front matter's list `include`, as far as they are files; what
/// else is wrong with it the parser says.
std::vector<std::string> included_toml(const std::string& text) {
    std::vector<std::string> names;
    constexpr std::string_view kEnding = ".toml";
    const std::string front = text.substr(0, text.find("*/"));
    for (std::size_t at = front.find(kEnding); at != std::string::npos;
         at = front.find(kEnding, at + 1)) {
        const std::size_t end = at + kEnding.size();
        const char quote = end < front.size() ? front[end] : '\0';
        const std::size_t begin =
            quote == '"' || quote == '\'' ? front.rfind(quote, at) : front.npos;
        if (begin != std::string::npos) {
            names.push_back(front.substr(begin + 1, end - begin - 1));
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

constexpr const char* kFile = "identities.toml";

TemplateIdentities read_identities() {
    const TomlReader reader(kFile, builtin_file(kFile).value_or(""), 1);
    TemplateIdentities result;
    const toml::table& root = reader.root();
    reader.refuse_other_keys(root, kFile, {"identity", "passage"});
    if (const toml::table* hashes = root["identity"].as_table()) {
        for (const auto& [name, node] : reader.in_order(*hashes)) {
            result.hashes[name] = reader.text(*hashes, name, "identity");
        }
    }
    if (const toml::array* passages = root["passage"].as_array()) {
        for (const toml::node& node : *passages) {
            const toml::table& table = reader.table(node, "passage");
            reader.refuse_other_keys(table, "passage", {"files", "present", "known"});
            result.passages.push_back({reader.texts(table, "files", "passage"),
                                       reader.text(table, "present", "passage"),
                                       table["known"].value_or(std::string())});
        }
    }
    return result;
}

/// Nothing changes if the passage stands in the text not once, but never or more often.
void put_back(const RewrittenPassage& passage, const std::string& file, std::string& text) {
    const auto& files = passage.files;
    if (std::find(files.begin(), files.end(), file) == files.end()) {
        return;
    }
    const std::size_t at = text.find(passage.present);
    if (at != std::string::npos && text.find(passage.present, at + 1) == std::string::npos) {
        text.replace(at, passage.present.size(), passage.known);
    }
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

const TemplateIdentities& template_identities() {
    static const auto& identities = *new TemplateIdentities(read_identities());
    return identities;
}

TemplateSource with_known_passages(TemplateSource source,
                                   std::span<const RewrittenPassage> passages) {
    for (const RewrittenPassage& passage : passages) {
        put_back(passage, source.name, source.text);
        for (auto& [name, text] : source.headers) {
            put_back(passage, name, text);
        }
    }
    return source;
}

std::string template_identity(const TemplateSource& source) {
    const TemplateSource known = with_known_passages(source);
    Hasher hasher("kernel template");
    hasher.text(without_default_rules(known.text));
    for (const auto& [name, text] : known.headers) {
        hasher.text(name).text(text);
    }
    for (const std::string& option : known.options) {
        hasher.text("option").text(option);
    }
    if (!known.folders_digest.empty()) {
        hasher.text("include folders").text(known.folders_digest);
    }
    return hex(hasher.digest());
}

}  // namespace jitune::internal
