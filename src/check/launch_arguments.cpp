// SPDX-License-Identifier: Apache-2.0
#include "check/finding.hpp"

#include <optional>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/units.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

constexpr std::int64_t kPointerBytes = 8;  // those of a texture object, too

struct PassedArgument {
    std::string text;  ///< "n (int64)"
    std::optional<std::int64_t> bytes;
};

PassedArgument passed_argument(const KernelTemplate& kernel, const Problem& problem,
                               const ArgumentSpec& spec) {
    const bool is_array = spec.access == Access::value_array;
    if (!is_array && spec.access != Access::value && spec.access != Access::scalar) {
        return {spec.name + (spec.texture ? " (texture object)" : " (pointer)"), kPointerBytes};
    }
    const auto parameter = problem.types.find(spec.type);
    const std::string& type = parameter == problem.types.end() ? spec.type : parameter->second;
    PassedArgument passed{fmt::format("{} ({})", spec.name, type), type_bytes(type)};
    if (is_array && passed.bytes) {
        const auto count = kernel.value_of(spec.amount, problem);
        const auto* elements = count ? std::get_if<std::int64_t>(&*count) : nullptr;
        passed.bytes =
            elements == nullptr ? std::nullopt : std::optional(*elements * *passed.bytes);
    }
    return passed;
}

std::string listed(const std::vector<std::string>& words) {
    return words.empty() ? "" : fmt::format(": {}", fmt::join(words, ", "));
}

}  // namespace

std::string flaw_of_arguments(const KernelTemplate& kernel, const Problem& problem,
                              const LaunchSpec& launch, std::span<const std::int64_t> parameters) {
    std::vector<PassedArgument> passed;
    std::vector<std::string> passed_words;
    for (const std::string& name : launch.arguments) {
        passed.push_back(
            passed_argument(kernel, problem, *kernel.front_matter().find_argument(name)));
        passed_words.push_back(passed.back().text);
    }
    if (passed.size() != parameters.size()) {
        std::vector<std::string> taken;
        for (const std::int64_t bytes : parameters) {
            taken.push_back(count_text(bytes, "byte"));
        }
        return fmt::format(
            "the launch passes {}{}; the kernel takes {}{}; name in \"arguments\" "
            "one for each parameter, in the kernel's order",
            count_text(std::ssize(passed), "argument"), listed(passed_words), taken.size(),
            listed(taken));
    }
    for (std::size_t i = 0; i < passed.size(); ++i) {
        if (passed[i].bytes && passed[i].bytes != parameters[i]) {
            return fmt::format(
                "the launch passes {} as argument {}, of {}; the kernel takes {} "
                "there; make type and order those of the kernel's parameters",
                passed[i].text, i + 1, count_text(*passed[i].bytes, "byte"), parameters[i]);
        }
    }
    return {};
}

}  // namespace jitune::internal
