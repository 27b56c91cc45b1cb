// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "strategy/permutation.hpp"
#include "strategy/strategy.hpp"

namespace jitune::internal {

namespace {

class Random : public Strategy {
public:
    Random(const SearchSpace& space, std::uint64_t seed) : order_(space.size(), seed) {}

    std::vector<std::size_t> ask(std::size_t count) override {
        std::vector<std::size_t> indexes(std::min(count, order_.left()));
        for (std::size_t& index : indexes) {
            index = order_.next();
        }
        return indexes;
    }

    [[nodiscard]] bool learns() const override { return false; }

    void tell(std::size_t /*index*/, std::optional<double> /*median_ns*/) override {}

private:
    Permutation order_;
};

}  // namespace

std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed,
                                      std::size_t /*budget*/) {
    return std::make_unique<Random>(space, seed);
}

}  // namespace jitune::internal
