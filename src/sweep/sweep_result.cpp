// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_result.hpp"

#include <algorithm>

#include "tuner_db/certainty.hpp"

namespace jitune::internal {

void SweepRow::set_winner(const Task& task, const Winner& winner) {
    configuration = winner.configuration;
    median_ns = winner.median_ns;
    noise = winner.noise;
    default_median_ns = winner.default_median_ns;
    certainty = winner.certainty;
    complete = winner.complete;
    metrics = task.metrics(task.parse(configuration), median_ns * 1e-9);
}

bool SweepRow::is_disturbed() const {
    return internal::is_disturbed(speed_up(), certainty);
}

std::size_t SweepResult::count(SweepRow::Outcome outcome) const {
    return static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [&](const SweepRow& row) { return row.outcome == outcome; }));
}

std::size_t SweepResult::stored() const {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](const SweepRow& row) { return row.stored; }));
}

}  // namespace jitune::internal
