// SPDX-License-Identifier: Apache-2.0
#include "strategy/permutation.hpp"

#include <limits>

namespace jitune::internal {

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

std::size_t Permutation::next() {
    const auto at = [&](std::size_t place) {
        const auto found = moved_.find(place);
        return found != moved_.end() ? found->second : place;
    };
    const std::size_t chosen = next_ + below(random_, left());
    const std::size_t number = at(chosen);
    moved_[chosen] = at(next_);
    moved_.erase(next_++);
    return number;
}

}  // namespace jitune::internal
