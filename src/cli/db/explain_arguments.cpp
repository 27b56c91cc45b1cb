// SPDX-License-Identifier: Apache-2.0
#include "cli/db/explain_arguments.hpp"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/app/common_options.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {

ExplainArguments::ExplainArguments() {
    for (const SweepFamily& family : sweep_families()) {
        for (const FamilyArgument& argument : family.arguments) {
            if (argument.in_explain) {
                own_.push_back({&family, &argument});
            }
        }
    }
}

std::vector<Option> ExplainArguments::command_options() {
    std::vector<std::string> names;
    for (const SweepFamily& family : sweep_families()) {
        names.push_back(family.name);
    }
    std::vector<Option> options{
        {"FILE", &file, "A kernel template of your own"},
        {"--kernel",
         &kernel_,
         fmt::format("A built-in kernel: {} [{}]", fmt::join(names, ", "), kernel_),
         {.excludes = {"FILE"}}},
        {"-n,--size",
         &sizes,
         "Number of elements, as in 2^20; of rows, columns, segments and entropies as in "
         "1024x65536, rows x columns or segments x elements; of a FILE NAME=SIZE for each size",
         {.required = true}},
        {"--type", &types, "Element type [float32]; of a FILE NAME=TYPE, as in element=float32"},
        {"--option", &compile_options,
         "Of a FILE: an option for the compiler that it was tuned with, as --use_fast_math"}};
    for (OwnOption& own : own_) {
        const FamilyOption& option = *own.argument->in_explain;
        options.push_back({option.name, &own.value, option.help, {.choices = option.choices}});
    }
    append(options,
           {device_option(&device, std::string(kPlacedDevices) + " [the first GPU, else the host]"),
            tune_option(TunePolicy::background), database_option(), log_option(), verbose_option(),
            json_option()});
    return options;
}

/// An option of another family would have no effect.
void ExplainArguments::refuse_options_of_others(const SweepFamily* family,
                                                const std::string& named) const {
    for (const OwnOption& own : own_) {
        if (own.value && own.family != family) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} goes with --kernel {}, but this is about {}",
                                    own.argument->in_explain->name, own.family->name, named));
        }
    }
}

void ExplainArguments::refuse_options_of_families() const {
    refuse_options_of_others(nullptr, file);
}

SweepProblem ExplainArguments::problem_of_family() const {
    const SweepFamily& family = sweep_family(kernel_);
    refuse_options_of_others(&family, kernel_);
    if (!compile_options.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("--option goes with a FILE, but this is about {}", kernel_));
    }
    refuse_unplaced(family, device);
    if (sizes.size() == 1 && sizes.front().find("..") != std::string::npos) {
        throw Error(ErrorKind::usage,
                    fmt::format("--size \"{}\": db explain takes one size, as in 2^20 or "
                                "1024x65536, not a range",
                                sizes.front()));
    }
    if (sizes.size() == 1 && types.size() <= 1) {
        FamilyArguments given{{"--types", types.empty() ? "float32" : types.front()},
                              {"--sizes", sizes.front()}};
        for (const OwnOption& own : own_) {
            if (own.family == &family) {
                given[own.argument->in_sweep.name] =
                    own.value.value_or(own.argument->in_explain->standard);
            }
        }
        SweepPlan plan = family.plan(given);
        if (plan.problems.size() == 1) {
            return std::move(plan.problems.front().problem);
        }
    }
    throw Error(ErrorKind::usage,
                "db explain takes one problem: give one of each, such as --size and --type");
}

}  // namespace jitune::internal
