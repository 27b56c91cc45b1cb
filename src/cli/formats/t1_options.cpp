// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/t1_options.hpp"

#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/formats/toml_text.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// nvcc's option for the host's compiler, which has no part in a kernel.
bool is_optimization(std::string_view option) {
    return option.size() == 3 && option.starts_with("-O");
}

}  // namespace

std::string t1_options(const ParsedJson& kernel, std::vector<std::string>& notes) {
    const ParsedJson* const list = find_member(kernel, "CompilerOptions");
    if (list == nullptr || list->is_null()) {
        return "";
    }
    std::vector<std::string> options;
    std::vector<std::string> folders;
    for (const ParsedJson& json : list_member(kernel, "CompilerOptions")) {
        if (!json.is_string()) {
            throw Error(ErrorKind::usage, "CompilerOptions must be a list of texts");
        }
        const auto option = json.get<std::string>();
        if (is_optimization(option)) {
            notes.push_back(
                fmt::format("CompilerOptions {} is not used: NVRTC always optimizes", option));
        } else if (option.starts_with("-I") && option.size() > 2) {
            folders.push_back(option.substr(2));
        } else if (option.find_first_of("{}") != std::string::npos) {  // names, in a template
            throw Error(ErrorKind::usage,
                        fmt::format("CompilerOptions \"{}\" has braces, which options of jitune "
                                    "cannot hold: define the text in the kernel's file",
                                    option));
        } else {
            options.push_back(option);
        }
    }
    return (options.empty() ? "" : fmt::format("options = {}\n", toml_list(options))) +
           (folders.empty() ? "" : fmt::format("include_folders = {}\n", toml_list(folders)));
}

}  // namespace jitune::internal
