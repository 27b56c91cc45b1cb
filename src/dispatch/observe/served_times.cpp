// SPDX-License-Identifier: Apache-2.0
#include "dispatch/observe/served_times.hpp"

#include <algorithm>

namespace jitune::internal {

void ServedTimes::add(double ns) {
    batch_ns_.push_back(ns);
    if (batch_ns_.size() < kBatch) {
        return;
    }
    const auto quartile = batch_ns_.begin() + kBatch / 4;
    std::nth_element(batch_ns_.begin(), quartile, batch_ns_.end());
    quartiles_ns_.push_back(*quartile);
    batch_ns_.clear();
}

std::optional<double> ServedTimes::judge(double most_ns) {
    std::optional<double> found;
    for (const double ns : quartiles_ns_) {
        slow_ = ns > most_ns * kTolerance + kToleranceNs ? slow_ + 1 : 0;
        if (slow_ >= kBatches) {
            found = ns;
        }
    }
    quartiles_ns_.clear();
    return found;
}

}  // namespace jitune::internal
