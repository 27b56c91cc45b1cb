// SPDX-License-Identifier: Apache-2.0
#include "families/own/kernel_file.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "families/own/include_folders.hpp"
#include "families/own/template_workload.hpp"
#include "jitune/error.hpp"
#include "support/text_file.hpp"
#include "template/option_reader.hpp"
#include "template/template_headers.hpp"

namespace jitune::internal {

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
    if (spec.size() < kSpecHead) {
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
