// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep_result.hpp"

#include <algorithm>
#include <map>

#include "measure/statistics.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal {

namespace {

void set_times(SweepRow& row, const Task& task, double median_ns, double default_ns) {
    row.median_ns = median_ns;
    row.default_median_ns = default_ns;
    row.metrics = task.metrics(task.parse(row.configuration), median_ns * 1e-9);
}

}  // namespace

void SweepRow::set_winner(const Task& task, const Winner& winner) {
    configuration = winner.configuration;
    certainty = winner.certainty;
    complete = winner.complete;
    if (winner.sizes == task.sizes()) {
        set_times(*this, task, winner.median_ns, winner.default_median_ns);
        noise = winner.noise;
    }
}

void SweepRow::set_tuned(const Task& task, const TuneReport& report) {
    set_winner(task, report.winner);
    tune = report.progress;
    std::map<std::string, double> finals_ns;
    for (const Measurement& one : report.measurements) {  // the finals are the last
        if (is_of_finals(one) && one.verdict == Verdict::timed) {
            finals_ns[one.configuration] = summarize(one.samples_ns).median_ns;
        }
    }
    if (const auto its = finals_ns.find(configuration); report.kept && its != finals_ns.end()) {
        set_times(*this, task, its->second, finals_ns[task.default_configuration().text()]);
    }
    const auto before = finals_ns.find(report.incumbent);
    before_ns = before == finals_ns.end() ? default_median_ns : before->second;
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
