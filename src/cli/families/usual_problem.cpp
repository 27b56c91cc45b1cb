// SPDX-License-Identifier: Apache-2.0
#include "cli/families/usual_problem.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/families/kernel_arguments.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kUsualSize = 4096;

}  // namespace

std::vector<std::int64_t> usual_kernel_sizes(const KernelTemplate& kernel,
                                             std::vector<std::string> words) {
    for (const std::string& name : kernel.front_matter().sizes) {
        const bool is_given = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
            return word.starts_with(name + "=");
        });
        if (!is_given) {
            words.push_back(fmt::format("{}={}", name, kUsualSize));
        }
    }
    return parse_kernel_sizes(kernel, words);
}

std::vector<std::map<std::string, std::string>> usual_kernel_types(
    const KernelTemplate& kernel, const std::map<std::string, std::string>& given) {
    const auto& types = kernel.front_matter().types;
    const auto open = std::find_if(types.begin(), types.end(), [&](const auto& type) {
        return !given.contains(type.first) && type.second.size() > 1 &&
               !kernel.front_matter().ranges.contains(type.first);
    });
    std::vector<std::map<std::string, std::string>> result;
    for (const auto& [name, text] :
         open == types.end() ? std::map<std::string, std::string>{{"", ""}} : open->second) {
        result.push_back(given);
        for (const auto& [type, names] : types) {
            result.back().emplace(type, names.contains(name) ? name : names.begin()->first);
        }
    }
    return result;
}

}  // namespace jitune::internal
