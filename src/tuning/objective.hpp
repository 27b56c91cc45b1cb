// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "template/front_matter.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// The figure that a winner should minimize. Searches compare times; the objective chooses among
/// the fastest candidates.
struct Objective {
    enum class Kind {  // in the order of kObjectiveNames
        time,
        energy,  ///< joules of a launch
        edp,     ///< energy-delay product: joules of a launch times its seconds
        metric   ///< of the template
    };
    Kind kind = Kind::time;
    std::string name = "time";  ///< "time", "energy", "edp", or that of the metric

    /// Throws Error(usage) that lists the names, for any other.
    static Objective parse(const std::string& name, const FrontMatter& front_matter);

    /// True if the objective needs energies of study_finalists() for the task. Throws Error(usage)
    /// for a metric that has no value for the default.
    [[nodiscard]] bool needs_energy(const Task& task) const;

    /// The figure of a finalist that the objective minimizes, with its 95 % interval. A time, and a
    /// metric that needs no energy, is that of its median time; any other cost is the mean over its
    /// windows. Throws Error(usage) for a metric that has no value.
    [[nodiscard]] Interval cost(const Task& task, const FinalistFigures& figures) const;
};

/// The template's metrics of a finalist, as Objective::cost() takes them. One
/// that has no value is left out.
std::vector<KernelTemplate::Metric> finalist_metrics(const Task& task,
                                                     const FinalistFigures& figures);

/// A finalist with its time and what the objective says of it.
struct Judged {
    std::string configuration;
    double time_ns = 0;  ///< median of the finals
    Interval cost;       ///< Objective::cost()
};

/// The index of the winner: the fastest of the finalists whose intervals of cost meet that of the
/// least cost. Throws Error(usage) if there is no finalist.
std::size_t best_of(std::span<const Judged> finalists);

/// For each finalist: true if no other is as good in both time and cost, and better in one of them.
std::vector<bool> pareto_front(std::span<const Judged> finalists);

}  // namespace jitune::internal
