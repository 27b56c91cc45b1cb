// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_text.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sizes/box_sets.hpp"
#include "text/winner_text.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

/// The speed-ups over what answered before, at the sizes where a sweep has timed both.
std::vector<double> gains_of(const std::vector<SweepRow>& rows) {
    std::vector<double> gains;
    const auto add = [&](double before_ns, double median_ns) {
        if (before_ns > 0 && median_ns > 0) {
            gains.push_back(before_ns / median_ns);
        }
    };
    for (const SweepRow& row : rows) {
        if (row.outcome != SweepRow::Outcome::tuned) {
            continue;
        }
        if (row.has_winner()) {
            add(row.before_ns, row.median_ns);
            continue;
        }
        for (const Winner& winner : row.ranges) {
            add(winner.default_median_ns, winner.median_ns);
        }
    }
    return gains;
}

/// The served share of all problems on all classes of devices, with those that were not begun.
double served_share(const SweepPlan& plan, const SweepResult& result) {
    // Another tuning of a problem counts instead of the first one if it has found more.
    std::map<std::size_t, std::pair<double, double>> of_problems;
    for (const SweepRow& row : result.rows) {
        const SweepProblem& problem = plan.problems.at(row.problem).problem;
        auto& [first, again] = of_problems[problem.again_of.value_or(row.problem)];
        (problem.again_of ? again : first) += served_share(problem, row);
    }
    double share = 0;
    for (const auto& [problem, shares] : of_problems) {
        share += std::max(shares.first, shares.second);
    }
    return share / static_cast<double>(std::max<std::size_t>(result.problems, 1));
}

}  // namespace

double served_share(const SweepProblem& problem, const SweepRow& row) {
    if (!problem.domain) {
        return row.has_winner() && !is_provisional(row.certainty) ? 1 : 0;
    }
    std::vector<SizeBox> sure;
    for (const Winner& winner : row.ranges) {
        const auto boxes = boxes_of(winner);
        if (may_serve(trust_of(winner)) && boxes) {
            sure.insert(sure.end(), boxes->begin(), boxes->end());
        }
    }
    return share_of(sure, *problem.domain);
}

std::string sweep_gain(const SweepPlan& plan, const SweepResult& result) {
    if (plan.problems.empty()) {
        return "there was nothing to tune\n";
    }
    const double share = served_share(plan, result);
    const std::string advice =
        share > 1 - 1e-9 ? ""
                         : "not all sizes are served for sure (jitune db coverage): sweep again, "
                           "on a quiet machine or with more --budget\n";
    const std::string gain = gain_text(gains_of(result.rows));
    return advice + fmt::format("gained: {}; {} of the sizes are served for sure\n",
                                gain.empty() ? "nothing" : gain, served_percent(share));
}

}  // namespace jitune::internal
