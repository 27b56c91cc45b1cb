// SPDX-License-Identifier: Apache-2.0
#include "cli/families/kernel_arguments.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/app/device_argument.hpp"
#include "cli/families/sizes.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

namespace {

/// "n" and "2^24" of "n=2^24". `form` says what the option takes.
std::pair<std::string, std::string> assignment(const char* option, const char* form,
                                               const std::string& word) {
    const auto sign = word.find('=');
    if (sign == 0 || sign == std::string::npos || sign + 1 == word.size()) {
        throw Error(ErrorKind::usage, fmt::format("{}: \"{}\" is not {}", option, word, form));
    }
    return {word.substr(0, sign), word.substr(sign + 1)};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_kernel_size_texts(
    const KernelTemplate& kernel, const std::vector<std::string>& words) {
    const std::vector<std::string>& names = kernel.front_matter().sizes;
    std::map<std::string, std::string> given;
    for (const std::string& word : words) {
        const auto [name, value] = assignment("--size", "NAME=SIZE, as in n=2^24", word);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            throw Error(ErrorKind::usage,
                        fmt::format("--size: {} has no size \"{}\"; its sizes are {}",
                                    kernel.source().name, name, fmt::join(names, ", ")));
        }
        if (!given.emplace(name, value).second) {
            throw Error(ErrorKind::usage, fmt::format("--size: {} is given twice", name));
        }
    }
    std::vector<std::pair<std::string, std::string>> sizes;
    for (const std::string& name : names) {
        const auto found = given.find(name);
        if (found == given.end()) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} needs --size {}=…; its sizes are {}", kernel.source().name,
                                    name, fmt::join(names, ", ")));
        }
        sizes.emplace_back(*found);
    }
    return sizes;
}

std::vector<std::int64_t> parse_kernel_sizes(const KernelTemplate& kernel,
                                             const std::vector<std::string>& words) {
    std::vector<std::int64_t> sizes;
    for (const auto& [name, text] : parse_kernel_size_texts(kernel, words)) {
        sizes.push_back(parse_size(text));
    }
    return sizes;
}

std::map<std::string, std::string> parse_kernel_types(const std::vector<std::string>& words) {
    std::map<std::string, std::string> types;
    for (const std::string& word : words) {
        const auto [name, value] = assignment("--type", "NAME=TYPE, as in element=float32", word);
        types[name] = value;
    }
    return types;
}

Device& device_for(Engine& engine, const KernelTemplate& kernel, const std::string& id,
                   std::string_view advice) {
    const PlatformKind wanted = kernel.front_matter().platform;
    refuse_auto(id);
    Device& device = with_advice(advice, [&]() -> Device& {
        return engine.device(id.empty() ? std::string(to_string(wanted)) : id);
    });
    if (device.info().platform != wanted) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} is a template for {}, not for {}", kernel.source().name,
                                to_string(wanted), device.info().id));
    }
    return device;
}

}  // namespace jitune::internal
