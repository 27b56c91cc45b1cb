// SPDX-License-Identifier: Apache-2.0
#include "cli/entropy_words.hpp"

#include <charconv>

#include <fmt/format.h>

#include "cli/sizes.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"

namespace jitune::internal {

namespace {

int parse_number(std::string_view option, std::string_view text) {
    int value = 0;
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, value).ptr != end || text.empty()) {
        throw Error(ErrorKind::usage, fmt::format("{}: \"{}\" is no whole number", option, text));
    }
    return value;
}

SweepProblem problem_of(const detail::EntropyRequest& request) {
    refuse_bad_entropy(request);
    const auto& [element, rows, columns, entropy] = request;
    const std::string type(to_string(element));
    const std::string size = fmt::format("{}x{}", size_text(rows), size_text(columns));
    SweepProblem problem;
    problem.problem = entropy_problem(request);
    problem.kernel = entropy_kernel_on;
    problem.name =
        fmt::format("{} window {} levels {} {}", type, entropy.window, entropy.levels, size);
    problem.cells = {type, fmt::format("{}", entropy.window), fmt::format("{}", entropy.levels),
                     size};
    problem.json = {{"type", type},
                    {"window", entropy.window},
                    {"levels", entropy.levels},
                    {"rows", rows},
                    {"columns", columns}};
    problem.bytes = static_cast<double>(rows) * static_cast<double>(columns) *
                    static_cast<double>(bytes_of(element) + sizeof(float));
    return problem;
}

}  // namespace

Entropy parse_entropy(std::string_view window, std::string_view levels) {
    return {parse_number("--window", window), parse_number("--levels", levels)};
}

void refuse_other_elements(ElementType type) {
    if (type != ElementType::uint8 && type != ElementType::int32 && type != ElementType::float32) {
        throw Error(ErrorKind::usage, fmt::format("entropy of {}: levels are uint8, int32 or "
                                                  "float32",
                                                  to_string(type)));
    }
}

SweepPlan entropy_plan(const EntropyWords& words) {
    SweepPlan plan{
        "entropy",
        {},
        {{"type"}, {"window", Align::right}, {"levels", Align::right}, {"size", Align::right}},
        {}};
    const auto sizes = parse_list("--sizes", words.sizes);
    const std::string types = words.types == "all" ? "uint8,int32,float32" : words.types;
    for (const std::string& type : parse_list("--types", types)) {
        const ElementType element = parse_element_type(type);
        refuse_other_elements(element);
        for (const std::string& window : parse_list("--window", words.windows)) {
            for (const std::string& levels : parse_list("--levels", words.levels)) {
                const Entropy entropy = parse_entropy(window, levels);
                for (const std::string& size : sizes) {
                    const SizePair shape = parse_size_pair(size);
                    plan.problems.push_back(
                        problem_of({element, shape.outer, shape.inner, entropy}));
                }
            }
        }
    }
    return plan;
}

}  // namespace jitune::internal
