// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "range/cost_table.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// The result of a comparison from its measurements, one for each configuration. `standard`: the
/// template's default at these sizes.
Comparison comparison_of(std::span<const Measurement> measurements, const std::string& standard);

/// Stored comparisons by their sizes: of several at the same sizes the one with most
/// configurations, and of equals the last.
using StoredComparisons = std::map<Sizes, std::vector<Measurement>>;
StoredComparisons stored_comparisons(const std::vector<Measurement>& rows);

/// Reads the times of the task's kernel from stored comparisons on devices of the task's name, as
/// far as estimates at the task's sizes need them. Leaves out disturbed times, unless other
/// processes disturbed all of them. `standard` is the template's default at the task's sizes, and
/// counts as the default at all sizes. Throws Error(store).
CostTable stored_costs(TuningStore& store, const Task& task, const std::string& standard);

/// Reads the same of a winner's kernel on devices of the winner's name, at all sizes.
CostTable compared_times(TuningStore& store, const Winner& winner);

/// The most that calls of a stored winner take at these sizes, in ns, as far as its measurements
/// tell: the end of its time's interval; at other sizes than its own in the proportion that
/// comparisons give, within an octave. Nothing where they do not tell. Throws Error(store).
std::optional<double> most_expected_ns(TuningStore& store, const Winner& winner,
                                       const Sizes& sizes);

/// Whether the winner of a range that is `octaves` away answers at these sizes, and not the
/// template's default `standard`: where comparisons within an octave say that it is no slower.
/// Without such comparisons it answers if its own range is within an octave.
bool answers_as_nearest(const CostTable& costs, const std::string& configuration, double octaves,
                        const std::string& standard, const Sizes& sizes);

}  // namespace jitune::internal
