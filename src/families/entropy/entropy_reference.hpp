// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jitune/entropy.hpp"

namespace jitune::internal {

/// An array of levels that repeats `pattern`: element i is pattern[i % pattern.size()].
struct LevelArray {
    std::vector<std::uint8_t> pattern;
    std::int64_t rows;
    std::int64_t columns;
};

/// The right entropies of known levels, in float64 and with the natural logarithm for every base.
class EntropyReference {
public:
    EntropyReference(LevelArray levels, const Entropy& entropy);

    [[nodiscard]] double at(std::int64_t row, std::int64_t column) const;

    /// Empty if every entropy is within `tolerance`, else the first one that is not, row by row:
    /// "row 0 column 3: got 1, expected 2 ± 2e-6".
    [[nodiscard]] std::string compare(std::span<const float> output, double tolerance) const;

private:
    [[nodiscard]] bool has_whole_windows(std::int64_t row) const;
    /// The first of the columns that is not within the tolerance, or `end`.
    [[nodiscard]] std::int64_t first_off(const float* output, std::int64_t row, std::int64_t begin,
                                         std::int64_t end, double tolerance) const;
    /// The same for whole windows, which no border cuts.
    [[nodiscard]] std::int64_t first_whole_off(const float* output, std::int64_t row,
                                               std::int64_t begin, std::int64_t end,
                                               double tolerance) const;

    LevelArray levels_;
    int radius_;
    std::vector<double> logs_;   // n ln n
    std::vector<double> whole_;  // of windows without a border, by the place in the pattern
};

}  // namespace jitune::internal
