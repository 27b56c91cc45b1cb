// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "strategy/strategy.hpp"

namespace jitune::internal {

namespace {

/// A random permutation, made as far as it is asked for (Fisher-Yates).
class Random : public Strategy {
public:
    Random(const SearchSpace& space, std::uint64_t seed) : random_(seed), size_(space.size()) {}

    std::vector<std::size_t> ask(std::size_t count) override {
        std::vector<std::size_t> indexes(std::min(count, size_ - next_));
        for (std::size_t& index : indexes) {
            const std::size_t chosen = next_ + below(random_, size_ - next_);
            index = at(chosen);
            moved_[chosen] = at(next_);
            moved_.erase(next_++);
        }
        return indexes;
    }

private:
    [[nodiscard]] std::size_t at(std::size_t place) const {
        const auto found = moved_.find(place);
        return found != moved_.end() ? found->second : place;
    }

    std::mt19937_64 random_;
    std::size_t size_;
    std::size_t next_ = 0;
    /// The entries that differ from the identity: place -> index.
    std::unordered_map<std::size_t, std::size_t> moved_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed,
                                      std::size_t /*budget*/) {
    return std::make_unique<Random>(space, seed);
}

}  // namespace jitune::internal
