// SPDX-License-Identifier: Apache-2.0
#include "range/comparison_times.hpp"

#include <algorithm>
#include <cmath>

#include "range/size_grid.hpp"

namespace jitune::internal {

int octave_of(const Sizes& sizes) {
    return static_cast<int>(std::log2(elements_of(sizes)));
}

void ComparisonTimes::add(const Sizes& sizes, double time) {
    if (!(time > 0)) {
        return;
    }
    Octave& octave = octaves_[octave_of(sizes)];
    octave.all += time;
    octave.least = std::min(octave.least, time);
}

double ComparisonTimes::all(int octave) const {
    const auto found = octaves_.find(octave);
    return found == octaves_.end() ? 0 : found->second.all;
}

double ComparisonTimes::expected(const Sizes& sizes) const {
    if (octaves_.empty()) {
        return 0;
    }
    const auto larger = octaves_.lower_bound(octave_of(sizes));
    return (larger == octaves_.end() ? *octaves_.rbegin() : *larger).second.least;
}

}  // namespace jitune::internal
