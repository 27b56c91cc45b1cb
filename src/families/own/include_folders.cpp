// SPDX-License-Identifier: Apache-2.0
#include "families/own/include_folders.hpp"

#include <deque>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/hash.hpp"
#include "support/source_scanner.hpp"
#include "support/text_file.hpp"
#include "template/front_matter.hpp"

namespace jitune::internal {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 20'000;

/// The file that an #include in `from` means. Looks beside `from` first, as compilers do.
std::optional<fs::path> header_of(const std::string& name, const fs::path& from,
                                  const std::vector<std::string>& folders) {
    if (const fs::path beside = from / name; !from.empty() && is_header_file(beside)) {
        return beside.lexically_normal();
    }
    for (const std::string& folder : folders) {
        if (const fs::path file = fs::path(folder) / name; is_header_file(file)) {
            return file.lexically_normal();
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> include_folders_of(const std::string& text, const fs::path& folder) {
    std::vector<std::string> folders;
    for (const std::string& name : include_folders_in(text)) {
        const fs::path path = fs::absolute(folder / name).lexically_normal();
        std::error_code error;
        if (!fs::is_directory(path, error)) {
            throw Error(ErrorKind::usage, fmt::format("include_folders names \"{}\": no folder {}",
                                                      name, path.string()));
        }
        folders.push_back(path.string());
    }
    return folders;
}

bool is_header_file(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
        throw Error(
            ErrorKind::usage,
            fmt::format("an #include means \"{}\", which is no file but a pipe, a socket or "
                        "a device: a compiler would wait for it; remove it, or include "
                        "another name",
                        path.string()));
    }
    return fs::is_regular_file(status);
}

std::string digest_of_folders(const TemplateSource& source) {
    const std::vector<std::string>& folders = source.include_folders;
    if (folders.empty()) {
        return {};
    }
    std::map<fs::path, std::string> found;
    std::deque<std::pair<fs::path, std::string>> wanted;  // folder of who includes -> name
    const auto want = [&](const fs::path& from, const std::string& code) {
        for (std::string& name : included_names(code)) {
            wanted.emplace_back(from, std::move(name));
        }
    };
    want({}, source.text);
    for (const auto& [name, text] : source.headers) {
        want({}, text);
    }
    for (; !wanted.empty(); wanted.pop_front()) {
        const auto& [from, name] = wanted.front();
        const auto file = header_of(name, from, folders);
        if (!file || found.contains(*file)) {
            continue;
        }
        if (found.size() == kMostHeaders) {
            throw Error(ErrorKind::usage, fmt::format("include_folders: the template includes more "
                                                      "than {} headers",
                                                      kMostHeaders));
        }
        const std::string code = read_text_file(*file);
        found[*file] = hex(Hasher("header").text(code).digest());
        want(file->parent_path(), code);
    }
    Hasher hasher("headers of folders");
    for (const auto& [file, digest] : found) {
        hasher.text(digest);  // not the path: the same headers may lie elsewhere
    }
    return hex(hasher.digest());
}

}  // namespace jitune::internal
