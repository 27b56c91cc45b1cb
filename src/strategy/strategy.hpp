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

/// Proposes configurations of a search space and learns from what became of them. Not thread-safe.
class Strategy {
public:
    virtual ~Strategy() = default;

    /// Up to `count` configurations, as indexes of the space, none asked before. Empty: done. May
    /// be called again before the last ones were told, so that compilers keep ahead of the timer.
    virtual std::vector<std::size_t> ask(std::size_t count) = 0;

    /// Whether what it proposes depends on what it was told.
    [[nodiscard]] virtual bool learns() const = 0;

    /// The median time of one configuration, asked for or known before; nullopt: it failed.
    virtual void tell(std::size_t index, std::optional<double> median_ns) = 0;
};

struct StrategyEntry {
    std::string_view name;
    std::string_view summary;
    /// `space` must outlive the strategy. Equal seeds give equal proposals. `budget` is about how
    /// many evaluations there will be; 0: as many as it takes.
    std::unique_ptr<Strategy> (*make)(const SearchSpace& space, std::uint64_t seed,
                                      std::size_t budget);
};

/// Every strategy there is; `--help` prints this table.
std::span<const StrategyEntry> strategies();

/// Throws Error(usage) that lists the names there are.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace& space,
                                        std::uint64_t seed, std::size_t budget = 0);

}  // namespace jitune::internal
