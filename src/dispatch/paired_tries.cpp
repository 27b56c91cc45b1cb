// SPDX-License-Identifier: Apache-2.0
#include "dispatch/paired_tries.hpp"

#include <algorithm>

namespace jitune::internal {

void PairedTries::add(bool winner_went_first, double winner_ns, double tried_ns) {
    halves_[winner_went_first ? 0 : 1].push_back({winner_ns, tried_ns});
    winner_sum_ns_ += winner_ns;
    tried_sum_ns_ += tried_ns;
    if (halves_[0].size() == halves_[1].size()) {
        look();
    }
}

void PairedTries::look() {
    constexpr std::array<std::size_t, 4> kLooks{8, 16, 32, kMostRounds};
    const std::size_t rounds = halves_[0].size();
    if (outcome_ != Outcome::open ||
        std::find(kLooks.begin(), kLooks.end(), rounds) == kLooks.end()) {
        return;
    }
    std::vector<double> winner_ns, tried_ns;
    for (std::size_t i = 0; i < rounds; ++i) {
        winner_ns.push_back(halves_[0][i].winner_ns + halves_[1][i].winner_ns);
        tried_ns.push_back(halves_[0][i].tried_ns + halves_[1][i].tried_ns);
    }
    ratio_ = ratio_of(tried_ns, winner_ns);
    if (ratio_->high < 1 - kLeastGain) {
        outcome_ = Outcome::faster;
    } else if (ratio_->low > 1 - kLeastGain || rounds == kMostRounds) {
        outcome_ = Outcome::slower;
    }
}

}  // namespace jitune::internal
