// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace jitune::internal {

/// The times of calls of one problem, and whether they are longer than they should be. A few slow
/// calls say nothing, because an app may do other work beside them: a batch of kBatch calls is slow
/// if three quarters of them are, and calls are slow if kBatches in a row are. These numbers and
/// the tolerance are guesses.
class ServedTimes {
public:
    static constexpr std::size_t kBatch = 8;
    static constexpr int kBatches = 3;
    static constexpr double kTolerance = 1.05;
    static constexpr double kToleranceNs = 5000;  ///< events beside a launch see it start, too

    void add(double ns) {
        batch_ns_.push_back(ns);
        if (batch_ns_.size() == kBatch) {
            const auto quartile = batch_ns_.begin() + kBatch / 4;
            std::nth_element(batch_ns_.begin(), quartile, batch_ns_.end());
            quartiles_ns_.push_back(*quartile);
            batch_ns_.clear();
        }
    }

    /// True if there are batches that judge() has not seen.
    [[nodiscard]] bool is_new() const { return !quartiles_ns_.empty(); }

    /// If calls are slow, returns their time in ns: the lower quartile of the last slow batch.
    /// `most_ns` is the time that they may take.
    std::optional<double> judge(double most_ns) {
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

    /// Forgets the batches that judge() has not seen.
    void skip() { quartiles_ns_.clear(); }

private:
    std::vector<double> batch_ns_;
    std::vector<double> quartiles_ns_;  ///< of the new batches
    int slow_ = 0;                      ///< batches in a row
};

}  // namespace jitune::internal
