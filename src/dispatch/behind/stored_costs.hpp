// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "range/cost_table.hpp"
#include "tuner_db/tuning_store.hpp"
#include "tuner_db/winners/record.hpp"
#include "tuning/task.hpp"

namespace jitune::internal {

/// True if other processes may have lengthened the times: perhaps a thousand times.
bool was_disturbed(const Measurement& measurement);

/// The result of a comparison from its measurements, one for each configuration; disturbed if one
/// of them is. `standard`: the template's default at these sizes.
Comparison comparison_of(std::span<const Measurement> measurements, const std::string& standard);

/// The last measurement of each configuration: times of the finals replace those before them.
std::vector<Measurement> last_of_each(std::vector<Measurement> measurements);

/// Stored comparisons by their sizes. If there are several at the same sizes, the one with most
/// configurations is kept, and of equals the last.
using StoredComparisons = std::map<Sizes, std::vector<Measurement>>;
StoredComparisons stored_comparisons(const std::vector<Measurement>& rows);

/// Reads the times of the task's kernel from stored comparisons on devices of the task's name, as
/// far as estimates at the task's sizes need them. Leaves out disturbed times, unless other
/// processes disturbed all of them. `standard` is the template's default at the task's sizes, and
/// counts as the default at all sizes. Throws Error(store).
CostTable stored_costs(TuningStore& store, const Task& task, const std::string& standard);

/// Reads the compared times of a winner's kernel on devices of the winner's name, at all sizes.
CostTable compared_times(TuningStore& store, const Winner& winner);

/// The comparisons of a database. Reads those of each key once. Not thread-safe.
class ComparedTimes {
public:
    /// `store` must outlive it.
    explicit ComparedTimes(TuningStore& store) : store_(store) {}

    /// compared_times() of the winner. Winners that differ only in sizes and configuration share
    /// one table. Throws Error(store).
    const CostTable& of(const Winner& winner);

private:
    TuningStore& store_;
    /// By kernel and the name of the device.
    std::map<std::pair<KernelKey, std::string>, CostTable> tables_;
};

/// The longest time that a call of a stored winner should take at these sizes, in ns: the upper end
/// of the interval of its time. At other sizes within an octave, this is scaled as comparisons say.
/// Nothing if the measurements do not tell. Throws Error(store).
std::optional<double> most_expected_ns(TuningStore& store, const Winner& winner,
                                       const Sizes& sizes);

/// The stored winners of ranges elsewhere that may answer the task instead of the template's
/// default, without their images; the nearest first. A winner may if comparisons within an octave
/// say that it is no slower; without such comparisons, if its own range is within an octave. Throws
/// Error(store).
std::vector<Winner> nearest_winners(TuningStore& store, const Task& task);

}  // namespace jitune::internal
