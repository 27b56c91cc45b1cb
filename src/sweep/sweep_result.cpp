// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_result.hpp"

#include <algorithm>

#include "measure/statistics.hpp"
#include "tuner_db/certainty.hpp"
#include "tuning/finalist.hpp"

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

void SweepRow::set_tuned(const Task& task, const TuneReport& report) {
    set_winner(task, report.winner);
    tune = report.progress;
    before_ns = default_median_ns;
    for (const Measurement& one : report.measurements) {  // the finals are the last
        if (one.configuration == report.incumbent && is_of_finals(one) &&
            one.verdict == Verdict::timed) {
            before_ns = summarize(one.samples_ns).median_ns;
        }
    }
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
