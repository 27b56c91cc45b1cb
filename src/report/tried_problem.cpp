// SPDX-License-Identifier: Apache-2.0
#include "report/tried_problem.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "measure/statistics.hpp"
#include "tuning/finals/finalist.hpp"

namespace jitune::internal {

namespace {

/// The sizes of most measurements of a search; empty: there is none.
std::string most_tried_sizes(const std::vector<Measurement>& measurements) {
    std::map<std::string, std::size_t> counts;
    for (const Measurement& one : measurements) {
        counts[one.sizes] += is_of_search(one) ? 1 : 0;
    }
    const auto most = std::max_element(
        counts.begin(), counts.end(),
        [](const auto& left, const auto& right) { return left.second < right.second; });
    return most == counts.end() || most->second == 0 ? "" : most->first;
}

/// Samples of a row that holds; a damaged number is left out.
double median_of(const Measurement& one) {
    return one.verdict == Verdict::timed ? summarize(one.samples_ns).median_ns : 0;
}

FinalStrip strip_of(const Measurement& one) {
    return {one.configuration, one.samples_ns, median_of(one), relative_uncertainty(one.samples_ns),
            Conditions::parse(one.conditions)};
}

}  // namespace

std::optional<TriedProblem> tried_problem(const std::vector<Measurement>& measurements,
                                          std::span<const Winner> winners) {
    const std::string sizes = most_tried_sizes(measurements);
    if (sizes.empty()) {
        return std::nullopt;
    }
    TriedProblem problem;
    problem.sizes = sizes;
    std::map<std::string, FinalStrip> finals;  // the last of each configuration
    for (const Measurement& one : measurements) {
        if (one.sizes != sizes) {
            continue;
        }
        problem.key = one.key;
        problem.device_name = one.provenance.device_name;
        if (is_of_search(one)) {
            problem.candidates.push_back(
                {one.configuration, one.verdict, median_of(one), one.reason});
        } else if (is_of_finals(one) && one.verdict == Verdict::timed) {
            finals.insert_or_assign(one.configuration, strip_of(one));
        }
    }
    for (auto& [configuration, strip] : finals) {
        problem.finals.push_back(std::move(strip));
    }
    std::stable_sort(problem.finals.begin(), problem.finals.end(),
                     [](const auto& a, const auto& b) { return a.median_ns < b.median_ns; });
    const auto winner = std::find_if(winners.begin(), winners.end(), [&](const Winner& one) {
        return one.key == problem.key && one.sizes == sizes;
    });
    if (winner != winners.end()) {
        problem.winner = *winner;
    }
    return problem;
}

}  // namespace jitune::internal
