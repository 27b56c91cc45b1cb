// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "strategy/strategy.hpp"

namespace jitune::internal {

namespace {

class Exhaustive : public Strategy {
public:
    explicit Exhaustive(const SearchSpace& space) : size_(space.size()) {}

    std::vector<std::size_t> ask(std::size_t count) override {
        std::vector<std::size_t> indexes(std::min(count, size_ - next_));
        std::iota(indexes.begin(), indexes.end(), next_);
        next_ += indexes.size();
        return indexes;
    }

private:
    std::size_t size_;
    std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, std::uint64_t /*seed*/,
                                          std::size_t /*budget*/) {
    return std::make_unique<Exhaustive>(space);
}

}  // namespace jitune::internal
