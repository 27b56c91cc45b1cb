// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/stored_costs.hpp"

#include <algorithm>

#include "measure/conditions.hpp"
#include "measure/statistics.hpp"
#include "range/cost_estimate.hpp"
#include "sizes/size_box.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

/// Other processes only lengthen times. They may lengthen most of a few samples, so the fastest of
/// these counts.
Timing timing_of(const std::vector<double>& samples_ns) {
    constexpr std::size_t kFew = 5;
    return {samples_ns.size() <= kFew ? *std::min_element(samples_ns.begin(), samples_ns.end())
                                      : summarize(samples_ns).median_ns,
            relative_uncertainty(samples_ns)};
}

/// Leaves out disturbed times. Keeps them if all times were disturbed, as on a machine that is
/// never quiet.
CostTable costs_of(std::vector<Measurement> rows, const std::string& standard) {
    const bool is_any_quiet = std::any_of(rows.begin(), rows.end(), [&](const Measurement& row) {
        return row.verdict == Verdict::timed && !was_disturbed(row);
    });
    if (is_any_quiet) {
        std::erase_if(rows, was_disturbed);
    }
    CostTable table;
    for (const auto& [sizes, measurements] : stored_comparisons(rows)) {
        table.add(sizes, {}, comparison_of(measurements, standard));
    }
    return table;
}

}  // namespace

bool was_disturbed(const Measurement& measurement) {
    return measurement.verdict == Verdict::timed &&
           Conditions::parse(measurement.conditions).contended;
}

Comparison comparison_of(std::span<const Measurement> measurements, const std::string& standard) {
    Comparison comparison;
    comparison.disturbed = std::any_of(measurements.begin(), measurements.end(), was_disturbed);
    for (const Measurement& one : measurements) {
        if (one.verdict == Verdict::timed) {
            comparison.timings[one.configuration] = timing_of(one.samples_ns);
        } else if (one.verdict != Verdict::compile_failed) {
            comparison.refuted.push_back(one.configuration);
        }
    }
    if (const auto found = comparison.timings.find(standard); found != comparison.timings.end()) {
        comparison.standard = found->second;
    }
    return comparison;
}

std::vector<Measurement> last_of_each(std::vector<Measurement> measurements) {
    std::map<std::string, Measurement> last;
    for (Measurement& one : measurements) {
        last.insert_or_assign(one.configuration, std::move(one));
    }
    std::vector<Measurement> result;
    for (auto& [configuration, measurement] : last) {
        result.push_back(std::move(measurement));
    }
    return result;
}

StoredComparisons stored_comparisons(const std::vector<Measurement>& rows) {
    // All rows of a comparison have the same time.
    std::map<Sizes, std::map<std::string, std::vector<Measurement>>> all;
    for (const Measurement& row : rows) {
        if (const auto boxes = parse_coverage(row.sizes); boxes && boxes->size() == 1) {
            all[boxes->front().from][row.provenance.created_at].push_back(row);
        }
    }
    StoredComparisons result;
    for (auto& [sizes, comparisons] : all) {
        std::vector<Measurement>& most = result[sizes];
        for (auto& [time, comparison] : comparisons) {
            if (comparison.size() >= most.size()) {
                most = std::move(comparison);
            }
        }
    }
    return result;
}

CostTable stored_costs(TuningStore& store, const Task& task, const std::string& standard) {
    constexpr int kNear = 6;  // half-octaves: beyond the sizes around that estimates are made from
    std::vector<Measurement> rows = store.measurements().comparisons(task.key(), kNear);
    std::erase_if(rows, [&](const Measurement& row) {
        return row.provenance.device_name != task.info().name;
    });
    return costs_of(std::move(rows), standard);
}

CostTable compared_times(TuningStore& store, const Winner& winner) {
    std::vector<Measurement> rows = store.measurements().comparisons(winner.key);
    std::erase_if(rows, [&](const Measurement& row) {
        return row.provenance.device_name != winner.provenance.device_name;
    });
    return costs_of(std::move(rows), "");
}

const CostTable& ComparedTimes::of(const Winner& winner) {
    const std::pair name(winner.key.kernel_key(), winner.provenance.device_name);
    auto table = tables_.find(name);
    if (table == tables_.end()) {
        table = tables_.emplace(name, compared_times(store_, winner)).first;
    }
    return table->second;
}

std::optional<double> most_expected_ns(TuningStore& store, const Winner& winner,
                                       const Sizes& sizes) {
    constexpr double kFarthest = 1;
    constexpr double kEstimated = 1.1;  // an estimate between two comparisons is not exact
    const double here_ns =
        winner.median_ns * (1 + std::max(winner.certainty.uncertainty, winner.noise));
    const auto own = exact_sizes(winner.sizes);
    if (!own || *own == sizes) {
        return own ? std::optional(here_ns) : std::nullopt;
    }
    const CostTable table = compared_times(store, winner);
    const auto from = estimated_time(table, winner.configuration, *own);
    const auto to = estimated_time(table, winner.configuration, sizes);
    if (!from || !to || std::max(from->octaves, to->octaves) > kFarthest) {
        return std::nullopt;
    }
    const bool is_measured = from->octaves == 0 && to->octaves == 0;
    return here_ns * to->value / from->value * (is_measured ? 1 : kEstimated);
}

std::vector<Winner> nearest_winners(TuningStore& store, const Task& task) {
    // Farther away another one may be a thousand times as fast: a grid of one block, for little
    // data, is the best there.
    constexpr double kFarthest = 1;
    constexpr int kMost = 4;
    const Sizes& sizes = task.problem.sizes;
    std::vector<Winner> rows = store.nearest(task.key(), sizes, kMost, may_answer_elsewhere);
    if (rows.empty()) {
        return rows;
    }
    const std::string standard = task.default_configuration().text();
    const CostTable costs = stored_costs(store, task, standard);
    std::erase_if(rows, [&](const Winner& row) {
        const auto ratio = estimated_ratio(costs, row.configuration, standard, sizes);
        return ratio && ratio->octaves <= kFarthest
                   ? ratio->value > 1
                   : octaves_between(boxes_of(row).value_or(std::vector<SizeBox>{}), sizes) >
                         kFarthest;
    });
    return rows;
}

}  // namespace jitune::internal
