// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/worklist_plan.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "families/families.hpp"
#include "jitune/error.hpp"
#include "text/winner_text.hpp"

namespace jitune::internal {

namespace {

/// Throws Error(usage) if this build has no kernel for the problem.
PlannedProblem planned(const CallRecord& miss, std::int64_t calls) {
    const auto spec = miss.spec();
    if (!spec) {
        throw Error(ErrorKind::usage, "its kernel_spec is damaged");
    }
    const auto kernel = std::make_shared<const Kernel>(make_kernel(families(), *spec));
    Problem problem{miss.key.kernel, miss.problem_types().value(), miss.problem_sizes().value(),
                    miss.key.alignment};
    kernel->kernel_template.check(problem);
    const std::string types = short_types(miss.key.types);
    SweepProblem one;
    one.problem = std::move(problem);
    one.kernel = [kernel](const Device&) -> const Kernel& { return *kernel; };
    one.name = fmt::format("{} {} {}", miss.key.kernel, types, miss.sizes);
    one.around = true;
    return {std::move(one),
            {miss.key.kernel, types, miss.sizes},
            {{"kernel", miss.key.kernel},
             {"types", miss.key.types},
             {"sizes", miss.sizes},
             {"calls", calls}}};
}

void warn_left_out(const CallRecord& miss, const Error& error, const Log& log) {
    log.warning("{} {} {} of the work-list is left out: {}", miss.key.kernel,
                short_types(miss.key.types), miss.sizes, error.what());
}

void set_effort(PlannedProblem& problem, Effort effort) {
    const char* const name = effort == Effort::brief ? "brief" : "full";
    problem.cells.emplace_back(name);
    problem.json["effort"] = name;
    problem.problem.anew = effort == Effort::full;
    problem.problem.budget_part = effort == Effort::brief ? kBriefPart : 1;
}

}  // namespace

SweepPlan worklist_plan(std::span<const WorkItem> items, const std::string& device_class,
                        const Log& log, std::vector<std::size_t>& places) {
    SweepPlan plan{"worklist", {}, {{"kernel"}, {"types"}, {"sizes"}, {"effort"}}, {}, ""};
    places.clear();
    for (std::size_t i = 0; i < items.size(); ++i) {
        const CallRecord& miss = items[i].misses.front();
        if (miss.key.device_class != device_class) {
            continue;
        }
        try {
            plan.problems.push_back(planned(miss, items[i].calls()));
            places.push_back(i);
        } catch (const Error& error) {
            warn_left_out(miss, error, log);
        }
    }
    const std::size_t brief = places.size();
    for (std::size_t i = 0; i < brief; ++i) {
        plan.problems.push_back(plan.problems[i]);
        set_effort(plan.problems[i], Effort::brief);
        set_effort(plan.problems.back(), Effort::full);
        plan.problems.back().problem.again_of = i;
        places.push_back(places[i]);
    }
    return plan;
}

SweepPlan worklist_problems(std::vector<CallRecord>& misses, const Log& log) {
    SweepPlan plan{"worklist", {}, {{"kernel"}, {"types"}, {"sizes"}}, {}, ""};
    std::erase_if(misses, [&](const CallRecord& miss) {
        try {
            plan.problems.push_back(planned(miss, miss.calls));
            return false;
        } catch (const Error& error) {
            warn_left_out(miss, error, log);
            return true;
        }
    });
    return plan;
}

}  // namespace jitune::internal
