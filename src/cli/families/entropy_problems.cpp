// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <fmt/format.h>

#include "cli/families/entropy_arguments.hpp"
#include "cli/families/sizes.hpp"
#include "cli/sweep/sweep_family.hpp"
#include "families/entropy/entropy_call.hpp"
#include "families/entropy/entropy_kernel.hpp"
#include "families/families.hpp"
#include "text/units.hpp"

// The row of entropies in sweep_families().
namespace jitune::internal {

SweepFamily entropy_sweep_family();

namespace entropy_problems {

namespace {

PlannedProblem problem_of(const detail::EntropyRequest& request, const SizePair& last) {
    refuse_bad_entropy(request);
    const auto& [element, rows, columns, entropy] = request;
    const std::string type(to_string(element));
    const std::string size =
        span_text(fmt::format("{}x{}", size_text(rows), size_text(columns)),
                  fmt::format("{}x{}", size_text(last.outer), size_text(last.inner)));
    Problem problem = entropy_problem(request);
    const double bytes = launch_bytes(problem).value_or(0);
    PlannedProblem planned{
        {std::move(problem), entropy_kernel_on,
         fmt::format("{} window {} levels {} {}", type, entropy.window, entropy.levels, size),
         bytes},
        {type, fmt::format("{}", entropy.window), fmt::format("{}", entropy.levels), size},
        {{"type", type},
         {"window", entropy.window},
         {"levels", entropy.levels},
         {"rows", rows},
         {"columns", columns}}};
    if (last != SizePair{rows, columns}) {
        planned.problem.domain = SizeBox{{rows, columns}, {last.outer, last.inner}};
        planned.json["last"] = {{"rows", last.outer}, {"columns", last.inner}};
    }
    return planned;
}

/// Every combination of window and levels.
std::vector<Entropy> entropies_of(const FamilyArguments& arguments) {
    std::vector<Entropy> entropies;
    for (const std::string& window : parse_list("--window", arguments.at("--window"))) {
        for (const std::string& levels : parse_list("--levels", arguments.at("--levels"))) {
            entropies.push_back(parse_entropy(window, levels));
        }
    }
    return entropies;
}

SweepPlan plan_of(const FamilyArguments& arguments) {
    SweepPlan plan{
        "entropy",
        {},
        {{"type"}, {"window", Align::right}, {"levels", Align::right}, {"size", Align::right}},
        {}};
    const auto sizes = parse_size_pairs(arguments.at("--sizes"));
    const std::string& types = arguments.at("--types");
    for (const std::string& type :
         parse_list("--types", types == "all" ? "uint8,int32,float32" : types)) {
        const ElementType element = parse_element_type(type);
        refuse_other_elements(element);
        for (const Entropy& entropy : entropies_of(arguments)) {
            for (const auto& [first, last] : sizes) {
                plan.problems.push_back(
                    problem_of({element, first.outer, first.inner, entropy}, last));
            }
        }
    }
    return plan;
}

}  // namespace

}  // namespace entropy_problems

SweepFamily entropy_sweep_family() {
    return {
        "entropy",
        "The entropy of the window around each element",
        {{{"--types", "float32", "Of uint8, int32, float32, by comma, or all [float32]"}},
         {{"--window", "5", "Odd, of 3 to 15, by comma [5]"},
          {{"--window", "5", "Of an entropy: odd, 3 to 15 [5]"}}},
         {{"--levels", "16", "Of 2 to 256, by comma [16]"}, {{"--levels", "16", "2 to 256 [16]"}}},
         {{"--sizes", "400x400,2560x2560,10240x10240",
           "Rows x columns, as in 400x640,2^12x2^10 [400x400,2560x2560,10240x10240]"}}},
        entropy_problems::plan_of};
}

}  // namespace jitune::internal
