// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
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
    [[nodiscard]] virtual bool learns() const = 0;

    /// The median time of one configuration, asked for or known before; nullopt: it failed.
    virtual void tell(std::size_t index, std::optional<double> median_ns) = 0;
};

/// `space` must outlive the strategy. Equal seeds give equal proposals. `budget` is about how many
/// evaluations there will be; 0: as many as it takes.
using StrategyFactory = std::unique_ptr<Strategy>(const SearchSpace& space, std::uint64_t seed,
                                                  std::size_t budget);

struct StrategyEntry {
    std::string_view name;
    std::string_view summary;
    StrategyFactory* make;
};

/// All strategies; `jitune --help` prints this table.
std::span<const StrategyEntry> strategies();

/// Throws Error(usage) that lists the names of all strategies.
const StrategyEntry& strategy_named(std::string_view name);

/// Throws as strategy_named() does.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace& space,
                                        std::uint64_t seed, std::size_t budget = 0);

}  // namespace jitune::internal
