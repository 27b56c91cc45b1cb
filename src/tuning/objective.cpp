// SPDX-License-Identifier: Apache-2.0
#include "tuning/objective.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "jitune/error.hpp"
#include "measure/statistics.hpp"
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

bool uses_energy(const MetricSpec& metric) {
    return metric.value.names().contains("joules");
}

/// `value_at` of the median time, in seconds, and its range over the median's interval. Nothing
/// where there is no value.
template <class ValueAt>
std::optional<Interval> at_median(const FinalistFigures& figures, const ValueAt& value_at) {
    const Interval median_ns = median_interval(figures.launch_ns);
    std::vector<double> values;
    for (const double ns : {median_ns.value, median_ns.low, median_ns.high}) {
        const std::optional<double> value = value_at(ns * 1e-9);
        if (!value) {
            return std::nullopt;
        }
        values.push_back(*value);
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return Interval{values.front(), *low, *high};
}

/// Returns the mean of a metric over the windows; nothing without windows, or if the metric has
/// no value in one of them.
std::optional<Interval> over_windows(const Task& task, const FinalistFigures& figures,
                                     const std::string& name) {
    std::vector<double> values;
    for (std::size_t i = 0; i < figures.energy_j.size(); ++i) {
        const auto value = metric_of(task, figures.configuration, name, figures.launch_ns[i] * 1e-9,
                                     figures.energy_j[i]);
        if (!value) {
            return std::nullopt;
        }
        values.push_back(*value);
    }
    return values.empty() ? std::nullopt : std::optional(mean_interval(values));
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
    const bool needs = uses_energy(*find_metric(task.kernel_template().front_matter(), name));
    const std::string standard = task.default_configuration().text();
    if (!metric_of(task, standard, name, 1, needs ? std::optional(1.0) : std::nullopt)) {
        throw_no_value(name, standard);
    }
    return needs;
}

Interval Objective::cost(const Task& task, const FinalistFigures& figures) const {
    if (kind == Kind::energy || kind == Kind::edp) {
        return kind == Kind::energy ? figures.energy() : figures.energy_delay();
    }
    if (kind == Kind::time) {
        return at_median(figures, [](double seconds) { return std::optional(seconds); }).value();
    }
    const MetricSpec& metric = *find_metric(task.kernel_template().front_matter(), name);
    const std::optional<Interval> cost =
        uses_energy(metric)
            ? over_windows(task, figures, name)
            : at_median(figures, [&](double seconds) {
                  return metric_of(task, figures.configuration, name, seconds, std::nullopt);
              });
    if (!cost) {
        throw_no_value(name, figures.configuration);
    }
    return metric.less_is_better ? *cost : Interval{-cost->value, -cost->high, -cost->low};
}

std::vector<KernelTemplate::Metric> finalist_metrics(const Task& task,
                                                     const FinalistFigures& figures) {
    std::vector<KernelTemplate::Metric> metrics;
    for (const MetricSpec& metric : task.kernel_template().front_matter().metrics) {
        std::optional<double> value;
        if (!uses_energy(metric)) {
            value = metric_of(task, figures.configuration, metric.name, figures.time_ns * 1e-9,
                              std::nullopt);
        } else if (const auto cost = over_windows(task, figures, metric.name)) {
            value = cost->value;
        }
        if (value) {
            metrics.push_back({metric.name, *value, metric.unit});
        }
    }
    return metrics;
}

std::size_t best_of(std::span<const Judged> finalists) {
    if (finalists.empty()) {
        throw Error(ErrorKind::usage, "no finalist has figures to choose by");
    }
    const Judged& least = *std::min_element(
        finalists.begin(), finalists.end(),
        [](const Judged& a, const Judged& b) { return a.cost.value < b.cost.value; });
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
            return other.time_ns <= one.time_ns && other.cost.value <= one.cost.value &&
                   (other.time_ns < one.time_ns || other.cost.value < one.cost.value);
        }));
    }
    return front;
}

}  // namespace jitune::internal
