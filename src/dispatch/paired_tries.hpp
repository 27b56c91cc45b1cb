// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "measure/paired_comparison.hpp"

namespace jitune::internal {

/// The times of a winner and of a configuration that is tried in the same calls: a round is one
/// time of each.
class PairedTries {
public:
    /// The configuration must be faster than the winner by this part at least.
    static constexpr double kLeastGain = 0.02;
    static constexpr std::size_t kMostRounds = 64;

    /// Whose time the next one is to be.
    [[nodiscard]] bool winner_is_next() const { return winner_ns_.size() <= tried_ns_.size(); }

    void add_winner(double ns);
    void add_tried(double ns);

    enum class Outcome { open, faster, slower };
    /// Looks at the interval after 8, 16, 32 and 64 rounds alone: each further look is one more
    /// chance to be wrong. In the end what is not `faster` is `slower`.
    [[nodiscard]] Outcome outcome() const { return outcome_; }

    /// Mean times in ns; 0: none yet.
    [[nodiscard]] double winner_ns() const { return mean(winner_ns_); }
    [[nodiscard]] double tried_ns() const { return mean(tried_ns_); }
    /// The configuration's time over the winner's, at the last look.
    [[nodiscard]] const std::optional<Ratio>& ratio() const { return ratio_; }

private:
    static double mean(const std::vector<double>& times);
    void look();

    std::vector<double> winner_ns_, tried_ns_;
    std::optional<Ratio> ratio_;
    Outcome outcome_ = Outcome::open;
};

}  // namespace jitune::internal
