// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sizes/size_box.hpp"
#include "sweep/sweep_problem.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// A mean of weighted values.
class WeightedMean {
public:
    void add(double value, double weight) {
        sum_ += value * weight;
        weight_ += weight;
    }
    /// The mean as if `value` had been added, too.
    [[nodiscard]] double with(double value, double weight) const {
        return (sum_ + value * weight) / (weight_ + weight);
    }

private:
    double sum_ = 0;
    double weight_ = 0;
};

/// What one winner tells of the calls of its kernel: the logarithms of how much its default's time
/// and its gain differ from the expected ones.
struct Lesson {
    std::string types;
    Sizes sizes;
    double time = 0;
    double gain = 0;
};

/// Nothing if the winner has no exact sizes or its default no time.
std::optional<Lesson> lesson_of(const Winner& winner);

/// All lessons of one kernel on one class of devices, whatever the sizes.
struct KernelLessons {
    WeightedMean time;
    WeightedMean gain;

    void add(const Lesson& lesson) {
        time.add(lesson.time, 1);
        gain.add(lesson.gain, 1);
    }
};

/// What calls of one problem take that the template's default answers, and what a tuning would
/// gain.
///
/// Begins with what is expected of any kernel. On the host a call takes 0.5 us and moves 20 GB/s; a
/// winner takes three quarters of the default's time about 64 KB, and as long as it if the data
/// leaves the caches. On other devices a call takes 4 us and moves 2 TB/s; a winner takes 0.95 of
/// the default's time, and down to 0.78 about 2 MB: less data waits for the launch and more for the
/// memory, whatever the configuration. Each lesson moves that: one of the same types and sizes
/// counts four times as much as all that is known of other sizes, one of other types twice, and
/// both less the more octaves are between.
class CallEstimate {
public:
    CallEstimate(const RecordKey& key, Sizes sizes);

    /// Of a winner of the same kernel on the same class of devices.
    void learn(const Lesson& lesson);

    /// `all`: the lessons that were learnt.
    [[nodiscard]] double default_ns(const KernelLessons& all) const;
    /// The logarithm of the default's time over the winner's; at least 0.
    [[nodiscard]] double log_gain(const KernelLessons& all) const;

private:
    std::string types_;
    Sizes sizes_;
    double expected_time_;  ///< logarithms
    double expected_gain_;
    WeightedMean time_;
    WeightedMean gain_;
};

/// The places of the problems in the order of their expected speed-ups, the largest first.
/// CallEstimate expects them at the problem's sizes, or in the middle of its range, from the
/// `winners` of the platform; without such winners, it expects what any kernel gains. How often a
/// problem is called is not known. `platform`: "host" or "cuda". Equal ones keep their order.
std::vector<std::size_t> gain_order(std::span<const SweepProblem> problems,
                                    const std::string& platform, std::span<const Winner> winners);

}  // namespace jitune::internal
