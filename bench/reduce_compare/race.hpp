// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "reduce_compare/arena.hpp"
#include "reduce_compare/cell.hpp"
#include "reduce_compare/check_results.hpp"
#include "reduce_compare/side.hpp"
#include "reduce_compare/slices.hpp"

namespace jitune::bench {

/// The measurement of one cell: sides that take turns on the same slices.
class Race {
public:
    /// Calls each side once in each way, so that nothing is loaded while it is timed.
    Race(const Arena& arena, const Cell& cell, Slices slices, ResultCheck check,
         std::vector<Side> sides);

    /// In the order of the sides.
    [[nodiscard]] std::vector<Measured> run(Way way, int samples) const;

private:
    using Enqueue = std::function<void()>;  ///< all calls of one side in one way

    [[nodiscard]] Enqueue calls(const Call& call) const;
    [[nodiscard]] std::vector<Enqueue> contestants(Way way) const;
    /// Of one call.
    [[nodiscard]] double sample_us(Way way, const Enqueue& enqueue) const;
    [[nodiscard]] bool right(const Enqueue& enqueue) const;

    const Arena& arena_;
    Cell cell_;
    Slices slices_;
    ResultCheck check_;
    std::vector<Side> sides_;
};

}  // namespace jitune::bench
