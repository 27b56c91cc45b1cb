// SPDX-License-Identifier: Apache-2.0
#include "report/failure_counts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace jitune::internal {

namespace {

std::string first_line(const std::string& text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \n\r\t"), text.size());
    return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

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
