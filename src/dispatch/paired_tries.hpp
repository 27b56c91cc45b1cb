// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "measure/paired_comparison.hpp"

namespace jitune::internal {

/// The times of a configuration that is tried beside the winner, in the same calls. What is
/// launched second finds the data in the cache, so that a round is two tries, one in each order,
/// and counts by the sums of their times.
class PairedTries {
public:
    /// The configuration must be faster than the winner by this part at least.
    static constexpr double kLeastGain = 0.02;
    static constexpr std::size_t kMostRounds = 64;

    /// Whether the winner should be launched first in the next try.
    [[nodiscard]] bool winner_goes_first() const { return halves_[0].size() <= halves_[1].size(); }

    void add(bool winner_went_first, double winner_ns, double tried_ns);

    enum class Outcome { open, faster, slower };
    /// Looks at the interval after 8, 16, 32 and 64 rounds alone: each further look is one more
    /// chance to be wrong. In the end what is not `faster` is `slower`.
    [[nodiscard]] Outcome outcome() const { return outcome_; }

    [[nodiscard]] std::int64_t count() const {
        return static_cast<std::int64_t>(halves_[0].size() + halves_[1].size());
    }
    /// Mean times of single launches, in ns; 0: none yet.
    [[nodiscard]] double winner_ns() const { return mean(winner_sum_ns_); }
    [[nodiscard]] double tried_ns() const { return mean(tried_sum_ns_); }
    /// The configuration's time over the winner's, at the last look.
    [[nodiscard]] const std::optional<Ratio>& ratio() const { return ratio_; }

private:
    struct Try {
        double winner_ns, tried_ns;
    };

    void look();
    [[nodiscard]] double mean(double sum) const {
        return count() == 0 ? 0 : sum / static_cast<double>(count());
    }

    std::array<std::vector<Try>, 2> halves_;  ///< by order: the winner first, or last
    double winner_sum_ns_ = 0, tried_sum_ns_ = 0;
    std::optional<Ratio> ratio_;
    Outcome outcome_ = Outcome::open;
};

}  // namespace jitune::internal
