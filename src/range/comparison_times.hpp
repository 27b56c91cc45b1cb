// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>

#include "sizes/size_box.hpp"

namespace jitune::internal {

/// The octave of a problem: the logarithm of the number of its elements, rounded down.
int octave_of(const Sizes& sizes);

/// How long comparisons have taken, by the octave of the problem: one of 2^30 elements can take a
/// hundred times as long as one of 2^20.
class ComparisonTimes {
public:
    /// Adds the time of a comparison. Ignores a time of 0, which is that of a comparison from the
    /// database.
    void add(const Sizes& sizes, double time);

    /// Returns the sum of the times of all comparisons in the octave.
    [[nodiscard]] double all(int octave) const;

    /// Predicts the time of a comparison at these sizes: the shortest time in its octave, because
    /// the first touch of memory can add seconds to the others. For an octave without comparisons
    /// it takes the next larger octave that has some, else the largest. Returns 0 before the first
    /// add().
    [[nodiscard]] double expected(const Sizes& sizes) const;

private:
    struct Octave {
        double all = 0;
        double least = std::numeric_limits<double>::infinity();
    };
    std::map<int, Octave> octaves_;
};

}  // namespace jitune::internal
