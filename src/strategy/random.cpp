#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "strategy/factories.hpp"

namespace jitune {

namespace {

/// A random permutation of the space, made as far as it is asked for (Fisher-Yates). The
/// generator's numbers are fixed by the C++ standard, but std::shuffle and
/// std::uniform_int_distribution are not: with those, equal seeds would propose differently under
/// different standard libraries.
class Random : public Strategy {
public:
    Random(const SearchSpace& space, std::uint64_t seed) : random_(seed), order_(space.size()) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    std::vector<std::size_t> ask(std::size_t count) override {
        std::vector<std::size_t> indexes(std::min(count, order_.size() - next_));
        for (std::size_t& index : indexes) {
            std::swap(order_[next_], order_[next_ + below(order_.size() - next_)]);
            index = order_[next_++];
        }
        return indexes;
    }

    void tell(std::size_t /*index*/, std::optional<double> /*median_ns*/) override {}

private:
    /// Uniform in [0, bound): numbers beyond the last whole multiple of `bound` are drawn again.
    std::size_t below(std::size_t bound) {
        constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t limit = kMax - kMax % bound;
        std::uint64_t number = random_();
        while (number >= limit) {
            number = random_();
        }
        return static_cast<std::size_t>(number % bound);
    }

    std::mt19937_64 random_;
    std::vector<std::size_t> order_;
    std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed) {
    return std::make_unique<Random>(space, seed);
}

}  // namespace jitune
