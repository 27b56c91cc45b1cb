#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "strategy/factories.hpp"
#include "strategy/permutation.hpp"

namespace jitune {

namespace {

// Centres are the best configurations so far; more than a few dilute the search, a single one is
// at the mercy of one lucky measurement.
constexpr std::size_t kCentres = 3;
constexpr std::size_t kFarthest = 2;     // parameters that a neighbour may change
constexpr std::size_t kRandomEvery = 4;  // one proposal in so many leaves the hills known so far

/// Local search from the best configurations known, mixed with random ones: first the neighbours
/// that differ in one parameter, then those that differ in two. It goes on until the whole space
/// is asked for.
class Local : public Strategy {
public:
    Local(const SearchSpace& space, std::uint64_t seed)
        : space_(space), asked_(space.size(), false), order_(space.size(), seed) {}

    std::vector<std::size_t> ask(std::size_t count) override {
        std::vector<std::size_t> indexes;
        while (indexes.size() < count) {
            const bool random = ++proposals_ % kRandomEvery == 0;
            auto next = random ? std::nullopt : neighbour();
            if (!next) {
                next = stranger();
            }
            if (!next) {
                break;
            }
            asked_[*next] = true;
            indexes.push_back(*next);
        }
        return indexes;
    }

    void tell(std::size_t index, std::optional<double> median_ns) override {
        if (median_ns) {
            ranked_.emplace(*median_ns, index);
        }
    }

private:
    /// The nearest configuration to a centre that has not been asked.
    std::optional<std::size_t> neighbour() {
        for (std::size_t distance = 1; distance <= kFarthest; ++distance) {
            std::size_t centre = 0;
            for (auto best = ranked_.begin(); best != ranked_.end() && centre < kCentres;
                 ++best, ++centre) {
                auto& waiting = around(best->second, distance);
                while (!waiting.empty() && asked_[waiting.front()]) {
                    waiting.pop_front();
                }
                if (!waiting.empty()) {
                    return waiting.front();
                }
            }
        }
        return std::nullopt;
    }

    std::optional<std::size_t> stranger() {
        while (order_.left() > 0) {
            if (const std::size_t index = order_.next(); !asked_[index]) {
                return index;
            }
        }
        return std::nullopt;
    }

    /// The configurations so many steps from a centre, each step through the space. May repeat.
    std::deque<std::size_t>& around(std::size_t centre, std::size_t distance) {
        auto& known = around_[centre];
        if (known.empty()) {
            known.resize(kFarthest + 1);
            for (const std::size_t near : space_.neighbours(centre)) {
                known[1].push_back(near);
                const std::vector<std::size_t> farther = space_.neighbours(near);
                known[2].insert(known[2].end(), farther.begin(), farther.end());
            }
        }
        return known[distance];
    }

    const SearchSpace& space_;
    std::vector<bool> asked_;
    Permutation order_;
    std::size_t proposals_ = 0;
    std::set<std::pair<double, std::size_t>> ranked_;
    /// centre -> distance -> configurations that far away
    std::map<std::size_t, std::vector<std::deque<std::size_t>>> around_;
};

}  // namespace

std::unique_ptr<Strategy> make_local(const SearchSpace& space, std::uint64_t seed,
                                     std::size_t /*budget*/) {
    return std::make_unique<Local>(space, seed);
}

}  // namespace jitune
