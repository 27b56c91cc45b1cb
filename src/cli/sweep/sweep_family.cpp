// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_family.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "backend/platform_kind.hpp"
#include "families/families.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

SweepFamily reduce_sweep_family();
SweepFamily stencil_sweep_family();
SweepFamily entropy_sweep_family();

std::vector<SweepProblem> problems_of(const SweepPlan& plan) {
    std::vector<SweepProblem> problems;
    for (const PlannedProblem& one : plan.problems) {
        problems.push_back(one.problem);
    }
    return problems;
}

SweepPlan ranked(SweepPlan plan, const std::vector<std::size_t>& order) {
    std::vector<PlannedProblem> problems;
    for (const std::size_t place : order) {
        problems.push_back(std::move(plan.problems[place]));
    }
    plan.problems = std::move(problems);
    return plan;
}

const std::vector<SweepFamily>& sweep_families() {
    static const std::vector<SweepFamily> kFamilies{reduce_sweep_family(), stencil_sweep_family(),
                                                    entropy_sweep_family()};
    return kFamilies;
}

const SweepFamily& sweep_family(std::string_view name) {
    const auto& rows = sweep_families();
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const SweepFamily& one) { return one.name == name; });
    if (row == rows.end() && name.starts_with("map_reduce_")) {
        throw Error(
            ErrorKind::usage,
            fmt::format("--kernel: \"{}\" is a formula, which has no file: jitune db list and "
                        "jitune db show tell of its winners",
                        name));
    }
    if (row == rows.end()) {
        std::vector<std::string> names;
        for (const SweepFamily& one : rows) {
            names.push_back(one.name);
        }
        throw Error(ErrorKind::usage,
                    fmt::format("--kernel: \"{}\" is not a built-in kernel: use one of {}, or name "
                                "a kernel of your own by its FILE",
                                name, fmt::join(names, ", ")));
    }
    return *row;
}

FamilyArguments sweep_arguments(const SweepFamily& family, const FamilyArguments& given) {
    FamilyArguments arguments = given;
    for (const FamilyArgument& one : family.arguments) {
        arguments.emplace(one.in_sweep.name, one.in_sweep.standard);
    }
    return arguments;
}

bool has_placements(const SweepFamily& family) {
    const auto rows = families();
    return std::any_of(rows.begin(), rows.end(), [&](const Family& row) {
        return row.name == family.name && row.placed != nullptr;
    });
}

void refuse_unplaced(const SweepFamily& family, std::string_view device) {
    if (!runs_placements(device) || has_placements(family)) {
        return;
    }
    std::vector<std::string> placed;
    for (const SweepFamily& one : sweep_families()) {
        if (has_placements(one)) {
            placed.push_back(one.name);
        }
    }
    throw Error(ErrorKind::usage,
                fmt::format("--device {}: {} has no placements of arrays in host memory, only {} "
                            "have: use {} or {}",
                            device, family.name, fmt::join(placed, " and "),
                            to_string(PlatformKind::host), to_string(PlatformKind::cuda)));
}

}  // namespace jitune::internal
