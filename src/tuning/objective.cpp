// SPDX-License-Identifier: Apache-2.0
#include "tuning/objective.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "template/name_rules.hpp"

namespace jitune::internal {

namespace {

const MetricSpec* find_metric(const FrontMatter& front_matter, const std::string& name) {
    const auto found = std::find_if(front_matter.metrics.begin(), front_matter.metrics.end(),
                                    [&](const MetricSpec& metric) { return metric.name == name; });
    return found == front_matter.metrics.end() ? nullptr : &*found;
}

std::optional<double> metric_of(const Task& task, const std::string& configuration,
                                const std::string& name, double seconds,
                                std::optional<double> joules) {
    for (const KernelTemplate::Metric& metric :
         task.metrics(task.parse(configuration), seconds, joules)) {
        if (metric.name == name) {
            return metric.value;
        }
    }
    return std::nullopt;
}

[[noreturn]] void throw_no_value(const std::string& metric, const std::string& configuration) {
    throw Error(ErrorKind::usage,
                fmt::format("the metric {} has no value for {}: its expression must give a number "
                            "for every configuration",
                            metric, configuration));
}

}  // namespace

Objective Objective::parse(const std::string& name, const FrontMatter& front_matter) {
    for (const Kind kind : {Kind::time, Kind::energy, Kind::edp}) {
        if (name == kObjectiveNames.at(static_cast<std::size_t>(kind))) {
            return {kind, name};
        }
    }
    if (find_metric(front_matter, name) != nullptr) {
        return {Kind::metric, name};
    }
    std::vector<std::string> names(kObjectiveNames.begin(), kObjectiveNames.end());
    for (const MetricSpec& metric : front_matter.metrics) {
        names.push_back(metric.name);
    }
    throw Error(ErrorKind::usage,
                fmt::format("no objective \"{}\": give one of {}, or add a metric of that name to "
                            "the template's [metrics]",
                            name, fmt::join(names, ", ")));
}

bool Objective::needs_energy(const Task& task) const {
    if (kind != Kind::metric) {
        return kind != Kind::time;
    }
    const std::string standard = task.default_configuration().text();
    if (metric_of(task, standard, name, 1, std::nullopt)) {
        return false;
    }
    if (!metric_of(task, standard, name, 1, 1)) {
        throw_no_value(name, standard);
    }
    return true;
}

std::vector<double> Objective::costs(const Task& task, const FinalistFigures& figures) const {
    const MetricSpec* const metric = find_metric(task.kernel_template().front_matter(), name);
    std::vector<double> costs;
    for (std::size_t i = 0; i < figures.launch_ns.size(); ++i) {
        const double seconds = figures.launch_ns[i] * 1e-9;
        const auto joules =
            i < figures.energy_j.size() ? std::optional(figures.energy_j[i]) : std::nullopt;
        if (kind == Kind::metric) {
            const auto value = metric_of(task, figures.configuration, name, seconds, joules);
            if (!value) {
                throw_no_value(name, figures.configuration);
            }
            costs.push_back(metric->less_is_better ? *value : -*value);
        } else {
            costs.push_back(
                kind == Kind::time ? seconds : joules.value() * (kind == Kind::edp ? seconds : 1));
        }
    }
    return costs;
}

std::size_t best_of(std::span<const Judged> finalists) {
    if (finalists.empty()) {
        throw Error(ErrorKind::usage, "no finalist has figures to choose by");
    }
    const Judged& least = *std::min_element(
        finalists.begin(), finalists.end(),
        [](const Judged& a, const Judged& b) { return a.cost.mean < b.cost.mean; });
    std::size_t best = static_cast<std::size_t>(&least - finalists.data());
    for (std::size_t i = 0; i < finalists.size(); ++i) {
        if (finalists[i].cost.low <= least.cost.high &&
            finalists[i].time_ns < finalists[best].time_ns) {
            best = i;
        }
    }
    return best;
}

std::vector<bool> pareto_front(std::span<const Judged> finalists) {
    std::vector<bool> front;
    for (const Judged& one : finalists) {
        front.push_back(std::none_of(finalists.begin(), finalists.end(), [&](const Judged& other) {
            return other.time_ns <= one.time_ns && other.cost.mean <= one.cost.mean &&
                   (other.time_ns < one.time_ns || other.cost.mean < one.cost.mean);
        }));
    }
    return front;
}

}  // namespace jitune::internal
