// SPDX-License-Identifier: Apache-2.0
#include "dispatch/paired_tries.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace jitune::internal {

double PairedTries::mean(const std::vector<double>& times) {
    return times.empty() ? 0
                         : std::accumulate(times.begin(), times.end(), 0.0) /
                               static_cast<double>(times.size());
}

void PairedTries::add_winner(double ns) {
    winner_ns_.push_back(ns);
    look();
}

void PairedTries::add_tried(double ns) {
    tried_ns_.push_back(ns);
    look();
}

void PairedTries::look() {
    constexpr std::array<std::size_t, 4> kLooks{8, 16, 32, kMostRounds};
    const std::size_t rounds = tried_ns_.size();
    if (outcome_ != Outcome::open || rounds != winner_ns_.size() ||
        std::find(kLooks.begin(), kLooks.end(), rounds) == kLooks.end()) {
        return;
    }
    ratio_ = ratio_of(tried_ns_, winner_ns_);
    if (ratio_->high < 1 - kLeastGain) {
        outcome_ = Outcome::faster;
    } else if (ratio_->low > 1 - kLeastGain || rounds == kMostRounds) {
        outcome_ = Outcome::slower;
    }
}

}  // namespace jitune::internal
