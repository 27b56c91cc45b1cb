// SPDX-License-Identifier: Apache-2.0
#include "families/own/kernel_file.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "families/own/template_workload.hpp"
#include "jitune/error.hpp"
#include "support/hash.hpp"
#include "support/source_scanner.hpp"
#include "support/text_file.hpp"
#include "template/front_matter.hpp"
#include "template/option_reader.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 20'000;

/// The files that an #include in the folder `from`, which may be empty, can mean. A compiler takes
/// the first, but in <> not the one beside `from`, and behind #include_next a later one.
std::vector<fs::path> files_of(const std::string& name, const fs::path& from,
                               const std::vector<std::string>& folders) {
    std::vector<fs::path> files;
    const auto add = [&](const fs::path& file) {
        if (is_header_file(file)) {
            files.push_back(file.lexically_normal());
        }
    };
    if (!from.empty()) {
        add(from / name);
    }
    for (const std::string& folder : folders) {
        add(fs::path(folder) / name);
    }
    return files;
}

/// Names that `code`, a template or a header beside it, includes. A macro's name could be that of a
/// header of the folders, which the hash would not know.
std::vector<std::string> own_names(const std::string& by, const std::string& code) {
    for (const IncludeDirective& directive : include_directives(code)) {
        if (directive.name.empty()) {
            throw Error(ErrorKind::usage,
                        fmt::format("{}: \"{}\" does not say which file it means, but a template "
                                    "with include_folders must: write the file's name there, in "
                                    "quotes or angle brackets",
                                    by, directive.text));
        }
    }
    return included_names(code);
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
    const auto want = [&](const fs::path& from, std::vector<std::string> names) {
        for (std::string& name : names) {
            wanted.emplace_back(from, std::move(name));
        }
    };
    want({}, own_names(source.name, source.text));
    for (const auto& [name, text] : source.headers) {
        if (!name.ends_with(".toml")) {
            want({}, own_names(name, text));
        }
    }
    for (; !wanted.empty(); wanted.pop_front()) {
        const auto& [from, name] = wanted.front();
        for (const fs::path& file : files_of(name, from, folders)) {
            if (found.contains(file)) {
                continue;
            }
            if (found.size() == kMostHeaders) {
                throw Error(ErrorKind::usage,
                            fmt::format("include_folders: the template includes more than {} "
                                        "headers",
                                        kMostHeaders));
            }
            const std::string code = read_text_file(file);
            found[file] = hex(Hasher("header").text(code).digest());
            want(file.parent_path(), included_names(code));
        }
    }
    Hasher hasher("headers of folders");
    for (const auto& [file, digest] : found) {
        hasher.text(digest);  // not the path: the same headers may lie elsewhere
    }
    return hex(hasher.digest());
}

namespace {

/// The text of a header in the folder, else of jitune's own header of that name. Empty if neither
/// exists: the compiler may still find it, or reports it.
std::optional<std::string> header_text(const std::filesystem::path& folder,
                                       const std::string& name) {
    const std::filesystem::path path(name);
    const bool leaves = path.is_absolute() || std::ranges::find(path, "..") != path.end();
    if (!leaves && is_header_file(folder / path)) {
        return read_text_file(folder / path);
    }
    return builtin_header(name);
}

/// The text of a template in two parts. Lines of the other part are empty in each, so that the
/// compilers' messages name the right lines.
struct SplitText {
    std::string device;  ///< for the compiler of the template's device
    std::string host;    ///< between each `#ifdef JITUNE_HOST` and its `#endif`; may be empty
};

std::string_view trimmed(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t");
    const auto end = line.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? "" : line.substr(begin, end - begin + 1);
}

SplitText split_host_text(const std::string& text) {
    SplitText split;
    bool any = false;
    int depth = 0;  // nested #if lines within a host section; 0 outside of a section
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = std::string_view(text).substr(at, end - at);
        const std::string_view word = trimmed(line.substr(0, line.find('\n')));
        at = end;
        const bool opens = depth == 0 && word == "#ifdef JITUNE_HOST";
        any = any || opens;
        const bool closes = depth == 1 && word.starts_with("#endif");
        if (depth > 0 || opens) {
            depth += word.starts_with("#if") ? 1 : word.starts_with("#endif") ? -1 : 0;
        }
        const bool is_host = depth > 0 && !opens;
        const bool is_device = depth == 0 && !closes;
        split.host += is_host ? line : "\n";
        split.device += is_device ? line : "\n";
    }
    if (!any) {
        split.host.clear();
    }
    return split;
}

// Words before the folder of a captured call, which stands before the options.
constexpr std::size_t kSpecHead = 4;

void refuse_bad_options(const KernelTemplate& kernel, const std::vector<std::string>& options) {
    for (const std::string& option : options) {
        if (const std::string flaw = flaw_of_option(kernel.front_matter().platform, option);
            !flaw.empty()) {
            throw Error(ErrorKind::usage, fmt::format("compile option \"{}\" {}", option, flaw));
        }
    }
}

/// Finds the headers of a template in `folder`.
FindHeader headers_in(const std::filesystem::path& folder) {
    return [folder](const std::string& name) { return header_text(folder, name); };
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
    const std::filesystem::path folder = path.parent_path();
    return folder.empty() ? "." : folder;
}

}  // namespace

TemplateFile template_from_text(std::string name, const std::string& text,
                                const std::filesystem::path& folder,
                                const std::vector<std::string>& options) {
    SplitText split = split_host_text(text);
    TemplateSource host{name, split.host, headers_of(split.host, headers_in(folder))};
    TemplateSource source{std::move(name), std::move(split.device), {}, options};
    source.headers = headers_of(source.text, headers_in(folder));
    source.include_folders = include_folders_of(source.text, folder);
    source.folders_digest = digest_of_folders(source);
    host.include_folders = source.include_folders;
    TemplateFile file{KernelTemplate(std::move(source)), std::move(host)};
    refuse_bad_options(file.kernel, options);
    return file;
}

TemplateFile template_from_file(const std::filesystem::path& path,
                                const std::vector<std::string>& options) {
    return template_from_text(path.string(), read_text_file(path), folder_of(path), options);
}

Kernel kernel_from_text(std::string name, const std::string& text,
                        const std::filesystem::path& folder,
                        const std::vector<std::string>& options,
                        const std::filesystem::path& capture) {
    std::vector<std::string> spec{"file", name, text, std::filesystem::absolute(folder).string()};
    if (!options.empty() || !capture.empty()) {
        spec.push_back(capture.empty() ? "" : std::filesystem::absolute(capture).string());
        spec.insert(spec.end(), options.begin(), options.end());
    }
    TemplateFile file = template_from_text(std::move(name), text, folder, options);
    std::optional<CapturedCall> call;
    if (!capture.empty()) {
        call = read_capture(capture, file.kernel);
    }
    auto workload = std::make_unique<TemplateWorkload>(file.kernel, std::move(file.host), folder,
                                                       std::move(call));
    return {std::move(file.kernel), std::move(workload), std::move(spec), true};
}

Kernel kernel_file_of(std::span<const std::string> spec) {
    if (spec.size() < kSpecHead || spec[kSpecHead - 1].empty()) {
        throw Error(ErrorKind::usage, "cannot build a kernel from a file: malformed worker spec");
    }
    if (spec.size() == kSpecHead) {
        return kernel_from_text(spec[1], spec[2], spec[3]);
    }
    return kernel_from_text(spec[1], spec[2], spec[3], {spec.begin() + kSpecHead + 1, spec.end()},
                            spec[kSpecHead]);
}

Kernel kernel_from_file(const std::filesystem::path& path, const std::vector<std::string>& options,
                        const std::filesystem::path& capture) {
    return kernel_from_text(path.string(), read_text_file(path), folder_of(path), options, capture);
}

Problem kernel_problem(const KernelTemplate& kernel, std::vector<std::int64_t> sizes,
                       std::map<std::string, std::string> types) {
    const FrontMatter& front = kernel.front_matter();
    for (const auto& [name, value] : types) {
        if (!front.types.contains(name)) {
            throw Error(ErrorKind::usage,
                        fmt::format("{}: no type parameter \"{}\"", kernel.source().name, name));
        }
    }
    for (const auto& [name, texts] : front.types) {
        if (texts.size() == 1) {
            types.emplace(name, texts.begin()->first);
        }
    }
    Problem problem{front.kernel, std::move(types), std::move(sizes)};
    kernel.check(problem);
    return problem;
}

}  // namespace jitune::internal
