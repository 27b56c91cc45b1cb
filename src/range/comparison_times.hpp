// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "range/size_grid.hpp"

namespace jitune::internal {

/// The octave of a problem: the logarithm of the number of its elements, rounded down.
inline int octave_of(const Sizes& sizes) {
    return static_cast<int>(std::log2(elements_of(sizes)));
}

/// How long comparisons have taken, by the octave of the problem: one of 2^30 elements can take a
/// hundred times as long as one of 2^20.
class ComparisonTimes {
public:
    /// Adds the time of a comparison. Ignores a time of 0, which is that of a comparison from the
    /// database.
    void add(const Sizes& sizes, double time) {
        if (time > 0) {
            Octave& octave = octaves_[octave_of(sizes)];
            octave.all += time;
            octave.least = std::min(octave.least, time);
        }
    }

    /// Returns the sum of the times of all comparisons in the octave.
    [[nodiscard]] double all(int octave) const {
        const auto found = octaves_.find(octave);
        return found == octaves_.end() ? 0 : found->second.all;
    }

    /// Predicts the time of a comparison at these sizes: the shortest time in its octave, because
    /// the first touch of memory can add seconds to the others. For an octave without comparisons
    /// it takes the next larger octave that has some, else the largest. Returns 0 before the first
    /// add().
    [[nodiscard]] double expected(const Sizes& sizes) const {
        if (octaves_.empty()) {
            return 0;
        }
        const auto larger = octaves_.lower_bound(octave_of(sizes));
        return (larger == octaves_.end() ? *octaves_.rbegin() : *larger).second.least;
    }

private:
    struct Octave {
        double all = 0;
        double least = std::numeric_limits<double>::infinity();
    };
    std::map<int, Octave> octaves_;
};

}  // namespace jitune::internal
