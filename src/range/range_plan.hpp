// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "range/cost_table.hpp"
#include "range/range_fit.hpp"

namespace jitune::internal {

/// The device as a search over sizes sees it. An error of any function ends the search.
class RangeBench {
public:
    virtual ~RangeBench() = default;

    /// Searches at these sizes and returns the configurations that are worth comparing at other
    /// sizes. `hints` are promising ones.
    virtual std::vector<std::string> search(const Sizes& sizes,
                                            const std::vector<std::string>& hints) = 0;

    /// Times the configurations, perhaps none, and the template's default against each other.
    /// Returns no times if the problem cannot be set up at these sizes. A disturbed comparison
    /// counts as not made: the search repeats it while it has time.
    virtual Comparison compare(const Sizes& sizes,
                               const std::vector<std::string>& configurations) = 0;

    /// The code of a configuration: equal for configurations that share a binary.
    virtual std::string code_of(const std::string& configuration) = 0;

    /// The part of the time that is used up. From 1 on the search must end.
    virtual double spent() = 0;
};

/// How a range of sizes is searched.
struct RangePlan {
    SizeBox domain;
    std::vector<Sizes> anchors;  ///< where to search; at least one
    /// Only multiples of these are compared; empty: all sizes.
    Sizes multiples = {};
    /// Whether sizes may be compared: the others are served as their neighbours are. Empty: all.
    std::function<bool(const Sizes&)> may_compare = {};
    FitLimits limits;
    /// Sizes are sure of no larger loss. In several dimensions it is above that of the limits,
    /// which too few sizes reach there: winners change with each tile and each wave of blocks.
    double bound = FitLimits().loss;
    /// How often to search at a probe where a larger problem takes less time.
    int more_searches = 0;
    int held_out = 59;  ///< 59 of 59 good: so are 95 % of all sizes, with 95 % confidence
    /// Up to this part of the time the first tests go on: without them no range is sure.
    double first_tests = 1;
    std::size_t most_probes = 1000;
    std::uint64_t seed = 0;

    // For one dimension.
    int grid_between = 3;  ///< grid_of()
    int rounds = 12;       ///< times that held-out sizes are tested, with those learnt from
    /// Up to this part of the time, held-out sizes become probes even if all of them are good.
    double polish = 0.75;
    double boundary = 0.02;  ///< octaves to which boundaries are placed
};

}  // namespace jitune::internal
