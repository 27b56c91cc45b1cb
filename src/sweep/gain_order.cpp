// SPDX-License-Identifier: Apache-2.0
#include "sweep/gain_order.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "sweep/call_estimate.hpp"

namespace jitune::internal {

namespace {

struct KernelEvidence {
    KernelLessons all;
    std::vector<Lesson> lessons;
};

std::map<std::string, KernelEvidence> evidence_of(std::span<const Winner> winners,
                                                  const std::string& platform) {
    std::map<std::string, KernelEvidence> evidence;
    for (const Winner& winner : winners) {
        const auto lesson = lesson_of(winner);
        if (lesson && winner.key.device_class.starts_with(platform)) {
            KernelEvidence& kernel = evidence[winner.key.kernel];
            kernel.all.add(*lesson);
            kernel.lessons.push_back(*lesson);
        }
    }
    return evidence;
}

Sizes typical_sizes(const SweepProblem& problem) {
    Sizes sizes = problem.problem.sizes;
    if (problem.domain) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const double product = static_cast<double>(problem.domain->from[i]) *
                                   static_cast<double>(problem.domain->to[i]);
            sizes[i] = static_cast<std::int64_t>(std::sqrt(product));
        }
    }
    return sizes;
}

}  // namespace

std::vector<std::size_t> gain_order(std::span<const SweepProblem> problems,
                                    const std::string& platform, std::span<const Winner> winners) {
    const auto evidence = evidence_of(winners, platform);
    static const KernelEvidence kNone;
    std::vector<double> gains;
    for (const SweepProblem& one : problems) {
        RecordKey key;
        key.kernel = one.problem.kernel;
        key.types = types_text(one.problem);
        key.device_class = platform;
        const auto found = evidence.find(key.kernel);
        const KernelEvidence& known = found == evidence.end() ? kNone : found->second;
        CallEstimate estimate(key, typical_sizes(one));
        for (const Lesson& lesson : known.lessons) {
            estimate.learn(lesson);
        }
        gains.push_back(estimate.log_gain(known.all));
    }
    std::vector<std::size_t> order(problems.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
    return order;
}

}  // namespace jitune::internal
