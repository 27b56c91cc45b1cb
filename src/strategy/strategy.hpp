// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/search_space.hpp"

namespace jitune::internal {

/// Proposes configurations of a search space and learns from their times. Not thread-safe.
class Strategy {
public:
    virtual ~Strategy() = default;

    /// Up to `count` configurations that it has not proposed before, as indexes of the space.
    /// Empty: done. May be called again before tell() has answered for the last ones, so that
    /// compilers keep ahead of the timer.
    virtual std::vector<std::size_t> ask(std::size_t count) = 0;

    /// True if later proposals depend on tell().
    [[nodiscard]] virtual bool learns() const { return false; }

    /// The median time of one configuration, asked for or known before; nullopt: it failed.
    virtual void tell(std::size_t /*index*/, std::optional<double> /*median_ns*/) {}
};

/// `space` must outlive the strategy. Equal seeds give equal proposals. `budget` is about how many
/// evaluations there will be; 0: as many as it takes.
using StrategyFactory = std::unique_ptr<Strategy>(const SearchSpace& space, std::uint64_t seed,
                                                  std::size_t budget);

struct StrategyEntry {
    std::string_view name;
    std::string_view summary;
    StrategyFactory* make;
    /// Evaluations until half of the runs are within 5 % of the best, fewest and most on the
    /// recorded spaces of docs/explanation/performance_log.md; 0: those of the strategy that it
    /// takes.
    int fewest_to_near = 0;
    int most_to_near = 0;
};

/// Uniform in [0, bound). The generator's numbers are fixed by the C++ standard, but std::shuffle
/// and std::uniform_int_distribution are not: with those, equal seeds would propose differently
/// under different standard libraries.
std::size_t below(std::mt19937_64& random, std::size_t bound);

/// All strategies; `jitune --help` prints this table.
std::span<const StrategyEntry> strategies();

/// The summary with what it costs: "every configuration, in a random order; within 5 % of the best
/// after 77 to 1742 evaluations on recorded spaces".
std::string strategy_text(const StrategyEntry& strategy);

/// Throws Error(usage) that lists the names of all strategies.
const StrategyEntry& strategy_named(std::string_view name);

/// Throws as strategy_named() does.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace& space,
                                        std::uint64_t seed, std::size_t budget = 0);

}  // namespace jitune::internal
