// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/formats/json.hpp"
#include "cli/formats/table.hpp"
#include "sweep/sweep_problem.hpp"

namespace jitune::internal {

/// A problem, and how tables and JSON show it.
struct PlannedProblem {
    SweepProblem problem;
    Table::Cells cells;  ///< one for each column of the plan
    Json json;           ///< an object with the same
};

/// The problems that a command line names.
struct SweepPlan {
    std::string kernel;                                         ///< "reduce"
    std::vector<std::pair<std::string, std::string>> settings;  ///< of all: {"determinism", "any"}
    std::vector<Column> columns;                                ///< that tell the problems apart
    std::vector<PlannedProblem> problems;
    std::string rate = "GB/s";  ///< title of the column of rates; empty: no such column
    std::string metric = {};    ///< the template's metric in that column; empty: bytes per second
    std::string code = {};      ///< KernelTemplate::hash() of a kernel of one's own
};

/// The problems of a plan without how they are shown.
std::vector<SweepProblem> problems_of(const SweepPlan& plan);

/// The plan with its problems in that order of their places.
SweepPlan ranked(SweepPlan plan, const std::vector<std::size_t>& order);

/// The arguments of a family as they were written, by the names of the options of `jitune sweep`.
using FamilyArguments = std::map<std::string, std::string, std::less<>>;

/// An option with the argument that holds if it is not given.
struct FamilyOption {
    std::string name;
    std::string standard;
    std::string help;
    std::vector<std::string> choices = {};  ///< as OptionRules::choices
};

/// One thing that tells the problems of a family apart. `jitune sweep` takes a list by comma,
/// `jitune db explain` one value: by an option of its own, or by --type and --size, which all
/// families share.
struct FamilyArgument {
    FamilyOption in_sweep;
    std::optional<FamilyOption> in_explain = {};
};

/// A family of kernels to `jitune sweep` and `jitune db explain`.
struct SweepFamily {
    std::string name;  ///< of its row in families()
    std::string help;  ///< of `jitune sweep NAME`
    std::vector<FamilyArgument> arguments;
    /// Every combination of the arguments' values, all of which are given. Throws Error(usage) for
    /// a combination that the family does not have, so that a sweep begins whole or not at all.
    SweepPlan (*plan)(const FamilyArguments& arguments);
};

/// Every family that can be swept. A new one is a file that makes its row.
const std::vector<SweepFamily>& sweep_families();

/// Throws Error(usage) that lists the names of the families.
const SweepFamily& sweep_family(std::string_view name);

/// The arguments of `jitune sweep` if no option is given, with those of `given`.
FamilyArguments sweep_arguments(const SweepFamily& family, const FamilyArguments& given = {});

/// True if arrays in host memory can be placed on the processors of a machine.
bool has_placements(const SweepFamily& family);

/// Throws Error(usage) for the device "machine" if the family has no placements.
void refuse_unplaced(const SweepFamily& family, std::string_view device);

}  // namespace jitune::internal
