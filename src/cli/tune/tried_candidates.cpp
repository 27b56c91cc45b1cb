// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tried_candidates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "check/finding.hpp"
#include "report/tried_problem.hpp"
#include "text/units.hpp"
#include "text/winner_text.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/search/candidate_set.hpp"

namespace jitune::internal {

namespace {

constexpr std::size_t kMostReason = 160;  // characters

/// "k.cu:12: error: …" of a compiler's log, else the whole reason.
std::string short_reason(const Measurement& failed) {
    if (failed.verdict == Verdict::compile_failed) {
        for (const Finding& finding : read_compiler_log(failed.reason)) {
            if (finding.level == Finding::Level::error) {
                return fmt::format("{}: {}", finding.place, finding.text);
            }
        }
    }
    return failed.reason;
}

std::string shortened(const std::string& text) {
    const std::string line = one_line(text);
    return line.size() <= kMostReason ? line : line.substr(0, kMostReason - 3) + "...";
}

std::vector<FailedCandidates> by_verdict(const std::vector<TriedCandidate>& candidates) {
    std::vector<FailedCandidates> kinds;
    for (const FailureCount& one : failure_counts(candidates)) {
        const auto known =
            std::find_if(kinds.begin(), kinds.end(),
                         [&](const FailedCandidates& kind) { return kind.verdict == one.verdict; });
        if (known != kinds.end()) {
            known->count += one.count;
        } else {
            kinds.push_back({one.verdict, one.count, shortened(one.reason), one.configuration});
        }
    }
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return kinds;
}

std::string duration_text(double seconds) {
    return seconds < 60 ? fmt::format("{:.0f} s", std::max(1.0, seconds)) : clock_text(seconds);
}

/// The options with which the rest would be tried, too, with some reserve.
std::string options_for_rest(const TriedCandidates& tried) {
    constexpr double kReserve = 1.25;
    std::string options = tried.is_counted_out ? ": --evaluations 0" : "";
    if (tried.budget_s > 0) {
        options += options.empty() ? ": " : " ";
        options +=
            tried.left_s
                ? fmt::format("--budget {:.0f}",
                              std::ceil(tried.budget_s + std::max(1.0, *tried.left_s * kReserve)))
                : "--budget 0 (no limit)";
    }
    return options;
}

std::string rest_text(const TriedCandidates& tried) {
    if (tried.tried >= tried.candidates) {
        return "";
    }
    return (tried.left_s ? fmt::format(", about {} more for the rest", duration_text(*tried.left_s))
                         : ", the rest in a later tuning") +
           options_for_rest(tried);
}

}  // namespace

TriedCandidates tried_candidates(const Task& task, const SearchPlan& plan,
                                 const TuneReport& report) {
    const SearchSpace space = task.space();
    const CandidateSet candidates(space, plan.only);
    std::map<std::string, const Measurement*> last;
    std::set<std::string> earlier;
    for (const Measurement& one : report.history) {
        const std::size_t index = candidates.find_in_space(one.configuration);
        if (index < space.size() && candidates.holds(index)) {
            last[one.configuration] = &one;
            earlier.insert(one.configuration);
        }
    }
    for (const Measurement& one : report.measurements) {
        if (!is_of_finals(one)) {
            last[one.configuration] = &one;
        }
    }
    std::vector<TriedCandidate> all;
    for (const auto& [configuration, one] : last) {
        if (one->verdict != Verdict::timed) {
            all.push_back({configuration, one->verdict, 0, short_reason(*one)});
        }
    }
    TriedCandidates tried;
    tried.candidates = report.progress.space;
    tried.tried = report.progress.evaluated;
    tried.earlier = std::min(earlier.size(), tried.tried);
    tried.left_out = space.size() - std::min(space.size(), tried.candidates);
    tried.failed = report.progress.failed;
    tried.budget_s = std::chrono::duration<double>(plan.budget).count();
    tried.failures = by_verdict(all);
    return tried;
}

std::string tried_text(const TriedCandidates& tried) {
    const double share = tried.candidates == 0 ? 1
                                               : static_cast<double>(tried.tried) /
                                                     static_cast<double>(tried.candidates);
    std::string text = fmt::format("{} of {} configurations tried ({:.0f} %){}{}\n", tried.tried,
                                   tried.candidates, std::floor(100 * std::min(share, 1.0)),
                                   tried.interrupted ? ", interrupted" : "", rest_text(tried));
    if (tried.earlier > 0) {
        text += fmt::format("continued from {} of before, which --again would take anew\n",
                            count_text(static_cast<std::int64_t>(tried.earlier), "measurement"));
    }
    if (tried.left_out > 0) {
        text += fmt::format("left out by --only: {}\n",
                            count_text(static_cast<std::int64_t>(tried.left_out), "configuration"));
    }
    if (!tried.failures.empty()) {
        text += fmt::format("failed: {}\n", tried.failed);
    }
    for (const FailedCandidates& kind : tried.failures) {
        text += fmt::format("{:>6} {}, as {}{}{}\n", kind.count, verdict_text(kind.verdict),
                            kind.configuration, kind.reason.empty() ? "" : ": ", kind.reason);
    }
    return text;
}

Json tried_json(const TriedCandidates& tried) {
    Json failures = Json::array();
    for (const FailedCandidates& kind : tried.failures) {
        failures.push_back({{"verdict", to_string(kind.verdict)},
                            {"count", kind.count},
                            {"reason", kind.reason},
                            {"configuration", kind.configuration}});
    }
    return {{"evaluated", tried.tried},
            {"earlier", tried.earlier},
            {"failed", tried.failed},
            {"failures", failures},
            {"space", tried.candidates},
            {"left_out", tried.left_out},
            {"left_s", tried.left_s ? Json(*tried.left_s) : Json()}};
}

}  // namespace jitune::internal
