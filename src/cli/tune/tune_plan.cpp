// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/families/kernel_arguments.hpp"
#include "cli/tune/recorded_file.hpp"
#include "jitune/error.hpp"
#include "space/restriction.hpp"
#include "sweep/hints.hpp"

namespace jitune::internal {

namespace {

/// Calls `read`. Errors name the option.
template <class Read>
auto of_option(const char* option, Read read) {
    try {
        return read();
    } catch (const Error& error) {
        throw Error(error.kind(), fmt::format("{}: {}", option, error.what()));
    }
}

/// The best of the recorded results, if a file of them was named.
std::vector<std::string> hints_of(const std::string& from, const Task& task) {
    if (from.empty()) {
        return {};
    }
    const std::string source = "--from " + from;
    std::vector<std::string> hints = Hints(source, read_recorded(from)).for_task(task);
    if (hints.empty()) {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: no configuration that worked there is legal here", source));
    }
    return hints;
}

std::vector<std::string> first_of(const TuneWishes& wishes, const Task& task) {
    std::vector<std::string> first;
    for (const std::string& text : wishes.first) {
        first.push_back(of_option("--first", [&] {
                            return parse_configuration(text, task.kernel_template(), task.problem,
                                                       task.info());
                        }).text());
    }
    if (!first.empty() && !wishes.only.empty()) {
        const SearchSpace part = restricted_space(task.space(), wishes.only);
        for (const std::string& text : first) {
            if (part.find(task.parse(text)) == part.size()) {
                throw Error(ErrorKind::usage,
                            fmt::format("--first: configuration \"{}\" is left out by --only {}",
                                        text, fmt::join(wishes.only, " --only ")));
            }
        }
    }
    return first;
}

}  // namespace

SearchPlan tune_plan(const TuneWishes& wishes, const Options& options, const Task& task) {
    SearchPlan plan;
    plan.strategy = options.strategy;
    plan.seed = options.seed;
    plan.budget = options.budget;
    plan.max_evaluations = wishes.evaluations;
    plan.anew = wishes.again;
    if (!wishes.only.empty()) {
        of_option("--only", [&] { return restricted_space(task.space(), wishes.only); });
        plan.only = wishes.only;
    }
    plan.first = first_of(wishes, task);
    plan.hints = hints_of(wishes.from, task);
    return plan;
}

}  // namespace jitune::internal
