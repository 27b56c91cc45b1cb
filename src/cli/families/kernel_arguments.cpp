// SPDX-License-Identifier: Apache-2.0
#include "cli/families/kernel_arguments.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "cli/app/common_options.hpp"
#include "cli/families/sizes.hpp"
#include "support/settings.hpp"
#include "template/problem.hpp"

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

/// `text` with the settings of the default that it does not name.
std::string completed(const std::string& text, const Configuration& standard) {
    std::string result = text;
    for (const auto& [name, value] : standard.entries()) {
        const std::vector<std::string_view> given = settings_of(text);
        const bool is_given = std::any_of(given.begin(), given.end(), [&](std::string_view one) {
            return one.substr(0, one.find('=')) == name;
        });
        if (!is_given) {
            result += fmt::format(" {}={}", name, to_string(value));
        }
    }
    return result;
}

constexpr std::int64_t kUsualSize = 4096;

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

Configuration parse_configuration(const std::string& text, const KernelTemplate& kernel,
                                  const Problem& problem, const DeviceInfo& device) {
    const FrontMatter& front = kernel.front_matter();
    Configuration configuration = Configuration::parse(
        completed(text, kernel.default_configuration(problem, device)), front.parameters);
    std::map<std::string, Scalar> values;
    for (const auto& [name, value] : configuration.entries()) {
        values.emplace(name, to_scalar(value));
    }
    const auto refuse_unless = [&](const std::vector<Expression>& expressions, const char* what) {
        const std::vector<Expression> bound = kernel.bound(expressions, problem, device);
        for (std::size_t i = 0; i < bound.size(); ++i) {
            const auto value = bound[i].bind(values).constant_value();
            if (!value || !is_true(*value)) {
                throw Error(ErrorKind::usage,
                            fmt::format("configuration \"{}\": {} \"{}\" of {} does not hold here",
                                        configuration.text(), what, expressions[i].text(),
                                        kernel.source().name));
            }
        }
    };
    refuse_unless(front.constraints, "the constraint");
    refuse_unless(front.prune, "the prune");
    return configuration;
}

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
