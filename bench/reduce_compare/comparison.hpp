// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reduce_compare/arena.hpp"
#include "reduce_compare/cell.hpp"
#include "reduce_compare/side.hpp"

namespace jitune::bench {

/// How far two measurements of the same thing differ: the largest relative difference seen.
struct NoiseFloor {
    double chain = 0;
    double stream = 0;

    [[nodiscard]] double of(Way way) const { return way == Way::chain ? chain : stream; }
};

/// Times jitune and CUB side by side: the same values, results and calls, the samples of the two
/// taken in turn.
class Comparison {
public:
    /// `samples` of each side, at least 6. Arena and session must outlive the comparison.
    Comparison(Arena& arena, Session& session, int samples)
        : arena_(arena), session_(session), samples_(samples) {}

    /// One result for each way. The first for a problem may tune it.
    [[nodiscard]] std::vector<Result> measure(const Cell& cell) const;

    /// Measures CUB against CUB on a few cells.
    [[nodiscard]] NoiseFloor noise_floor() const;

private:
    Arena& arena_;
    Session& session_;
    int samples_;
};

}  // namespace jitune::bench
