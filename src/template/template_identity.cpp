// SPDX-License-Identifier: Apache-2.0
#include "template/template_identity.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "support/hash.hpp"
#include "template/template_headers.hpp"
#include "template/toml_reader.hpp"

namespace jitune::internal {

namespace {

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

/// Nothing changes where the passage stands in the text not once, but never or more often.
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
    hasher.text(known.text);
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
