#include "strategy/permutation.hpp"

#include <limits>
#include <numeric>
#include <utility>

namespace jitune {

Permutation::Permutation(std::size_t size, std::uint64_t seed) : random_(seed), order_(size) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
}

std::size_t Permutation::next() {
    std::swap(order_[next_], order_[next_ + below(left())]);
    return order_[next_++];
}

/// Uniform in [0, bound): numbers beyond the last whole multiple of `bound` are drawn again.
std::size_t Permutation::below(std::size_t bound) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t limit = kMax - kMax % bound;
    std::uint64_t number = random_();
    while (number >= limit) {
        number = random_();
    }
    return static_cast<std::size_t>(number % bound);
}

}  // namespace jitune
