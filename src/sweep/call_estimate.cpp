// SPDX-License-Identifier: Apache-2.0
#include "sweep/call_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "backend/platform_kind.hpp"
#include "range/cost_table.hpp"
#include "range/size_grid.hpp"
#include "support/settings.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

/// The bytes of an element by its type's name, as in "element=float64"; 4 if there is none.
double element_bytes(const std::string& types) {
    return static_cast<double>(type_bytes(setting_of(types, "element")).value_or(4));
}

/// What is expected of a kernel of which nothing has been tuned.
struct Prior {
    double call_ns;     ///< of a call without data
    double byte_ns;     ///< of each byte
    double least_gain;  ///< at the ends; logarithms
    double more_gain;   ///< in the middle
    double middle;      ///< log2 of bytes
    double width;       ///< in octaves, where the gain has fallen to a third
};
constexpr Prior kHost{500, 0.05, 0.01, 0.3, 16, 4.5};
constexpr Prior kGpu{4000, 0.0005, 0.05, 0.2, 21, 4};

const Prior& prior_of(const RecordKey& key) {
    return key.device_class.starts_with(to_string(PlatformKind::host)) ? kHost : kGpu;
}

double expected_log_time(const RecordKey& key, double bytes) {
    const Prior& prior = prior_of(key);
    return std::log(prior.call_ns + bytes * prior.byte_ns);
}

double expected_log_gain(const RecordKey& key, double bytes) {
    const Prior& prior = prior_of(key);
    const double far = (std::log2(bytes) - prior.middle) / prior.width;
    return prior.least_gain + prior.more_gain * std::exp(-far * far);
}

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

std::optional<Lesson> lesson_of(const Winner& winner) {
    const auto sizes = exact_sizes(winner.sizes);
    if (!sizes || winner.default_median_ns <= 0 || winner.median_ns <= 0) {
        return std::nullopt;
    }
    const double bytes = elements_of(winner.key.kernel, *sizes) * element_bytes(winner.key.types);
    const double gain = std::log(winner.default_median_ns / winner.median_ns);
    return Lesson{winner.key.types, *sizes,
                  std::log(winner.default_median_ns) - expected_log_time(winner.key, bytes),
                  std::max(gain, 0.0) - expected_log_gain(winner.key, bytes)};
}

CallEstimate::CallEstimate(const RecordKey& key, Sizes sizes)
    : types_(key.types), sizes_(std::move(sizes)) {
    const double bytes = elements_of(key.kernel, sizes_) * element_bytes(types_);
    expected_time_ = expected_log_time(key, bytes);
    expected_gain_ = expected_log_gain(key, bytes);
}

void CallEstimate::learn(const Lesson& lesson) {
    constexpr double kReach = 2;  // octaves
    constexpr double kOtherTypes = 0.5;
    if (lesson.sizes.size() != sizes_.size()) {
        return;
    }
    const double far = octaves_between(lesson.sizes, sizes_) / kReach;
    const double weight = std::exp(-far * far) * (lesson.types == types_ ? 1 : kOtherTypes);
    time_.add(lesson.time, weight);
    gain_.add(lesson.gain, weight);
}

namespace {

constexpr double kOthers = 0.25;  // the weight of all lessons together, wherever they are

}  // namespace

double CallEstimate::default_ns(const KernelLessons& all) const {
    return std::exp(expected_time_ + time_.with(all.time.with(0, 1), kOthers));
}

double CallEstimate::log_gain(const KernelLessons& all) const {
    return std::max(expected_gain_ + gain_.with(all.gain.with(0, 1), kOthers), 0.0);
}

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
