// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <map>

#include "tuner_db/size_box.hpp"

namespace jitune::internal {

/// The octave of a problem: the logarithm of the number of its elements, rounded down.
int octave_of(const Sizes& sizes);

/// How long comparisons have taken, by the octave of the problem: one of 2^30 elements can take a
/// hundred times as long as one of 2^20.
class ComparisonTimes {
public:
    /// No time says nothing: the comparison was known from an earlier search.
    void add(const Sizes& sizes, double time);

    /// What all comparisons in the octave have taken together.
    [[nodiscard]] double all(int octave) const;

    /// What a comparison at these sizes will take: as long as the shortest of its octave, since
    /// memory that is touched first can take seconds. An octave without any counts as the next
    /// larger one, and the largest as those below. 0 before the first add().
    [[nodiscard]] double expected(const Sizes& sizes) const;

private:
    struct Octave {
        double all = 0;
        double least = std::numeric_limits<double>::infinity();
    };
    std::map<int, Octave> octaves_;
};

}  // namespace jitune::internal
