// SPDX-License-Identifier: Apache-2.0
#include "report/tried_problem.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "measure/statistics.hpp"
#include "support/settings.hpp"
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

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::string first_line(const std::string& text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \n\r\t"), text.size());
    return text.substr(begin, text.find('\n', begin) - begin);
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

std::vector<ParameterEffect> parameter_effects(std::span<const TriedCandidate> candidates) {
    std::map<std::string_view, std::map<std::string_view, std::vector<double>>> times;
    double best = 0;
    for (const TriedCandidate& one : candidates) {
        if (one.ns <= 0) {
            continue;
        }
        best = best == 0 ? one.ns : std::min(best, one.ns);
        for (const std::string_view setting : settings_of(one.configuration)) {
            if (const auto equals = setting.find('='); equals != std::string_view::npos) {
                times[setting.substr(0, equals)][setting.substr(equals + 1)].push_back(one.ns);
            }
        }
    }
    std::vector<ParameterEffect> effects;
    for (const auto& [name, by_value] : times) {
        ParameterEffect effect{std::string(name), {}};
        for (const auto& [value, ns] : by_value) {
            effect.values.push_back({std::string(value), ns.size(), median(ns) / best,
                                     *std::min_element(ns.begin(), ns.end()) / best});
        }
        if (effect.values.size() > 1) {
            std::stable_sort(effect.values.begin(), effect.values.end(),
                             [](const auto& a, const auto& b) { return a.median < b.median; });
            effects.push_back(std::move(effect));
        }
    }
    std::stable_sort(effects.begin(), effects.end(),
                     [](const auto& a, const auto& b) { return a.spread() > b.spread(); });
    return effects;
}

std::vector<FailureCount> failure_counts(std::span<const TriedCandidate> candidates) {
    std::map<std::pair<Verdict, std::string>, FailureCount> counts;
    for (const TriedCandidate& one : candidates) {
        if (one.verdict != Verdict::timed) {
            const std::string reason = first_line(one.reason);
            FailureCount& failure =
                counts
                    .try_emplace({one.verdict, reason},
                                 FailureCount{one.verdict, reason, one.configuration, 0})
                    .first->second;
            ++failure.count;
        }
    }
    std::vector<FailureCount> failures;
    for (auto& [what, failure] : counts) {
        failures.push_back(std::move(failure));
    }
    std::stable_sort(failures.begin(), failures.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return failures;
}

}  // namespace jitune::internal
