// SPDX-License-Identifier: Apache-2.0
#include "strategy/strategy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "jitune/error.hpp"

namespace jitune::internal {

// Each but `auto` is defined in a source file of its own in this folder. To add a strategy, write
// its file, name its factory here and give it a row in the table below.
StrategyFactory make_automatic;
StrategyFactory make_exhaustive;
StrategyFactory make_random;
StrategyFactory make_surrogate;

namespace {

constexpr std::array kStrategies{
    StrategyEntry{"auto", "exhaustive if the budget allows it, else surrogate", make_automatic},
    StrategyEntry{"exhaustive", "every configuration, in the order of the space", make_exhaustive,
                  33, 3046},
    StrategyEntry{"random", "every configuration, in a random order", make_random, 77, 1742},
    StrategyEntry{"surrogate", "where a model of all results so far expects the most",
                  make_surrogate, 13, 91},
};

}  // namespace

std::unique_ptr<Strategy> make_automatic(const SearchSpace& space, std::uint64_t seed,
                                         std::size_t budget) {
    const bool fits = budget == 0 || space.size() <= budget;
    return make_strategy(fits ? "exhaustive" : "surrogate", space, seed, budget);
}

/// Numbers beyond the last whole multiple of `bound` are drawn again.
std::size_t below(std::mt19937_64& random, std::size_t bound) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t limit = kMax - kMax % bound;
    std::uint64_t number = random();
    while (number >= limit) {
        number = random();
    }
    return static_cast<std::size_t>(number % bound);
}

std::span<const StrategyEntry> strategies() {
    return kStrategies;
}

std::string strategy_text(const StrategyEntry& strategy) {
    std::string text(strategy.summary);
    if (strategy.most_to_near > 0) {
        text += "; within 5 % of the best after " + std::to_string(strategy.fewest_to_near) +
                " to " + std::to_string(strategy.most_to_near) + " evaluations on recorded spaces";
    }
    return text;
}

const StrategyEntry& strategy_named(std::string_view name) {
    const auto entry = std::find_if(kStrategies.begin(), kStrategies.end(),
                                    [name](const StrategyEntry& row) { return row.name == name; });
    if (entry == kStrategies.end()) {
        std::string names;
        for (const StrategyEntry& row : kStrategies) {
            names.append(names.empty() ? "" : ", ").append(row.name);
        }
        throw Error(ErrorKind::usage,
                    "unknown strategy \"" + std::string(name) + "\": use one of " + names);
    }
    return *entry;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace& space,
                                        std::uint64_t seed, std::size_t budget) {
    return strategy_named(name).make(space, seed, budget);
}

}  // namespace jitune::internal
