// SPDX-License-Identifier: Apache-2.0
#include "swept_plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/families/kernel_problems.hpp"
#include "families/own/kernel_file.hpp"

namespace jitune::bench {

using namespace internal;

namespace {

/// "--sizes=2^10": the name and the value. Throws Error(usage) for a word without "=".
std::pair<std::string, std::string> parted(std::string_view word) {
    const std::size_t equal = word.find('=');
    if (equal == std::string_view::npos) {
        throw Error(ErrorKind::usage, fmt::format("{}: write NAME=VALUE", word));
    }
    return {std::string(word.substr(0, equal)), std::string(word.substr(equal + 1))};
}

SweepPlan plan_of_file(const std::string& file, const std::vector<std::string>& words) {
    const auto kernel = std::make_shared<const Kernel>(kernel_from_file(file, {}));
    KernelProblems problems;
    for (const std::string& word : words) {
        const auto [name, value] = parted(word);
        const auto& sizes = kernel->kernel_template.front_matter().sizes;
        if (name == "--multiple-of") {
            problems.multiple = static_cast<std::size_t>(positive(name, value));
        } else if (std::find(sizes.begin(), sizes.end(), name) != sizes.end()) {
            problems.sizes.push_back(word);
        } else {
            problems.types.push_back(word);
        }
    }
    return kernel_problems(kernel, problems);
}

}  // namespace

std::int64_t positive(const std::string& name, const std::string& text) {
    const std::int64_t number = std::strtoll(text.c_str(), nullptr, 10);
    if (number <= 0) {
        throw Error(ErrorKind::usage, fmt::format("{}={}: give a positive number", name, text));
    }
    return number;
}

SweepPlan swept_plan(const std::string& subject, const std::vector<std::string>& words) {
    if (subject.find('.') != std::string::npos) {
        return plan_of_file(subject, words);
    }
    const SweepFamily& family = sweep_family(subject);
    FamilyArguments given;
    for (const std::string& word : words) {
        const auto [name, value] = parted(word);
        if (std::none_of(family.arguments.begin(), family.arguments.end(),
                         [&](const FamilyArgument& one) { return one.in_sweep.name == name; })) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} is no option of jitune sweep {}", name, subject));
        }
        if (!given.emplace(name, value).second) {
            throw Error(ErrorKind::usage, name + " is given twice");
        }
    }
    return family.plan(sweep_arguments(family, given));
}

}  // namespace jitune::bench
