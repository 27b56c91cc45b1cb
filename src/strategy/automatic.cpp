// SPDX-License-Identifier: Apache-2.0
#include "strategy/strategy.hpp"

namespace jitune::internal {

std::unique_ptr<Strategy> make_automatic(const SearchSpace& space, std::uint64_t seed,
                                         std::size_t budget) {
    const bool fits = budget == 0 || space.size() <= budget;
    return make_strategy(fits ? "exhaustive" : "surrogate", space, seed, budget);
}

}  // namespace jitune::internal
