// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/compile/source_check.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
}

/// Returns the folder `include` and the folder of its CCCL, or nothing if `include` does not hold
/// CUDA's headers.
std::vector<std::string> folders_of(const fs::path& include) {
    std::vector<std::string> folders;
    if (include.is_absolute() && is_file(include / "cuda_runtime_api.h")) {
        folders.push_back(include.lexically_normal().native());
        // CUDA 13 and pip's older packages have CCCL in a folder of its own.
        for (const fs::path& cccl : {include / "cccl", include / "../../cuda_cccl/include"}) {
            if (is_file(cccl / "cuda/std/version") || is_file(cccl / "cub/cub.cuh")) {
                folders.push_back(cccl.lexically_normal().native());
                break;
            }
        }
    }
    return folders;
}

fs::path real_path(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real;
}

bool is_header(const TemplateSource& source, std::string_view name) {
    return std::any_of(source.headers.begin(), source.headers.end(),
                       [&](const auto& header) { return header.first == name; });
}

bool has_comma_outside_brackets(std::string_view expression) {
    int depth = 0;
    for (const char c : expression) {
        depth += c == '<' || c == '(' ? 1 : 0;
        depth -= c == '>' || c == ')' ? 1 : 0;
        if (c == ',' && depth <= 0) {
            return true;
        }
    }
    return false;
}

/// cudaMalloc, cudaTextureObject_t, tex2D, surf2Dread and the like.
bool is_plain_text(std::string_view text) {
    const auto has = [&](std::string_view begin, const auto& goes_on) {
        for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
            const std::size_t next = at + begin.size();
            if (next < text.size() && goes_on(static_cast<unsigned char>(text[next]))) {
                return true;
            }
        }
        return false;
    };
    const auto upper_or_digit = [](int c) { return std::isupper(c) != 0 || std::isdigit(c) != 0; };
    return !has("cuda", [](int c) { return std::isupper(c) != 0 || c == '_'; }) &&
           !has("tex", upper_or_digit) && !has("surf", upper_or_digit) &&
           !has("texture", [](int) { return true; }) && !has("surface", [](int) { return true; });
}

}  // namespace

std::vector<std::string> toolkit_folders(const fs::path& cuda_path, const fs::path& nvrtc) {
    const fs::path library = real_path(nvrtc).parent_path();
    for (const fs::path& include :
         {cuda_path.empty() ? fs::path() : cuda_path / "include", library / "../include",
          library / "../../cuda_runtime/include", fs::path("/usr/local/cuda/include")}) {
        if (std::vector<std::string> folders = folders_of(include); !folders.empty()) {
            return folders;
        }
    }
    return {};
}

bool is_header_of(std::span<const std::string> folders, const std::string& name) {
    const fs::path path(name);
    const bool leaves = path.is_absolute() || std::ranges::find(path, "..") != path.end();
    return !leaves && std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
        return is_file(fs::path(folder) / path);
    });
}

std::vector<OtherInclude> other_includes(const TemplateSource& source) {
    std::vector<OtherInclude> others;
    const auto add = [&](const std::string& by, std::string_view text) {
        for (IncludeDirective& directive : include_directives(text)) {
            if (!is_header(source, directive.name)) {
                others.push_back({by, std::move(directive)});
            }
        }
    };
    add(source.name, source.text);
    for (const auto& [name, text] : source.headers) {
        add(name, text);
    }
    return others;
}

std::optional<std::string> flaw_of_source(const TemplateSource& source,
                                          std::span<const OtherInclude> others,
                                          std::span<const std::string> folders) {
    const auto nul = [](const std::string& name, std::string_view text) {
        return text.find('\0') == std::string_view::npos
                   ? std::nullopt
                   : std::optional(fmt::format("{}: has a NUL character", name));
    };
    if (auto flaw = nul(source.name, source.text)) {
        return flaw;
    }
    for (const auto& [name, text] : source.headers) {
        if (auto flaw = nul(name, text)) {
            return flaw;
        }
    }
    const auto unknown = std::ranges::find_if(others, [&](const OtherInclude& other) {
        return source.include_folders.empty() && !is_header_of(folders, other.directive.name);
    });
    if (unknown == others.end()) {
        return std::nullopt;
    }
    return fmt::format("{}: {}: not one of the template's own headers, nor of {}", unknown->by,
                       unknown->directive.text,
                       folders.empty()
                           ? "a CUDA toolkit, which was not found: install it or set CUDA_PATH"
                           : fmt::format("the CUDA toolkit's in {}", folders.front()));
}

bool is_plain(const TemplateSource& source) {
    return is_plain_text(source.text) &&
           std::all_of(source.headers.begin(), source.headers.end(),
                       [](const auto& header) { return is_plain_text(header.second); });
}

std::optional<std::string> flaw_of_expression(std::string_view expression) {
    const auto starts_name = [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
    };
    if (expression.starts_with('&')) {
        expression.remove_prefix(1);
    }
    if (expression.empty() || !starts_name(expression.front())) {
        return fmt::format("\"{}\" does not begin with a name", expression);
    }
    const auto is_bad = [](char c) {
        return static_cast<unsigned char>(c) < ' ' || c == '#' || c == ';' || c == '%' ||
               c == '"' || c == '\\' || c == '/' || c == '{' || c == '}' || c == '=';
    };
    if (std::any_of(expression.begin(), expression.end(), is_bad)) {
        return "the expression has a control character or one of # ; % \" \\ / { } =";
    }
    if (has_comma_outside_brackets(expression)) {
        return fmt::format("\"{}\" has a comma outside brackets", expression);
    }
    return std::nullopt;
}

}  // namespace jitune::internal
