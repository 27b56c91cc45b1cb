// SPDX-License-Identifier: Apache-2.0
#include "range/range_search.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "range/comparisons.hpp"
#include "range/range_judgement.hpp"
#include "range/shape_search.hpp"
#include "range/size_grid.hpp"

// How winners for a range of one dimension are found, in the order of run():
//
// 1. Searches at the anchors find the configurations that are worth a comparison.
// 2. Comparisons on a grid show where each of them is fast.
// 3. If a larger problem takes less time than a smaller one, one more search looks for what is
//    missing there.
// 4. Ranges are fitted to all probes, and comparisons near their boundaries place these.
// 5. Random sizes, which took no part in any of this, test the ranges. They then become probes, and
//    steps 3 to 5 come again: for as long as tests fail and time is left, else for a part of it.
//
// Comparisons that were disturbed are made again when step 4 begins, and at the end.
//
// Each step ends at its part of the time: a step without an end would leave none for the tests.

namespace jitune::internal {

namespace {

/// Parts of the time that the anchors leave: the grid ends at the first, the first placing of
/// boundaries at the second. The tests, and learning from them, have the rest.
constexpr double kGridPart = 0.4;
constexpr double kBoundariesPart = 0.7;
constexpr double kLeastPart = 0.3;  ///< even if the tests need more than the rest

class RangeSearch {
public:
    RangeSearch(Comparisons& known, const RangePlan& plan)
        : known_(known), plan_(plan), random_(plan.seed) {}

    std::vector<ServedRange> run();

private:
    using Ranges = std::vector<FittedRange>;
    using Tests = std::vector<HeldOutTest>;

    void compare_grid();
    /// `part` of what the anchors leave, or less if the first tests will need more than the
    /// rest.
    [[nodiscard]] double before_tests(double part) const {
        const auto after_anchors = [&](double its) {
            return known_.anchored() + its * std::max(1 - known_.anchored(), 0.0);
        };
        return std::min(after_anchors(part),
                        std::max(1 - expected_test_time(), after_anchors(kLeastPart)));
    }
    /// The expected time to test all held-out sizes.
    [[nodiscard]] double expected_test_time() const;
    [[nodiscard]] Ranges fit() {
        return fit_ranges(known_.fitted_table(), {plan_.domain}, known_.codes(), plan_.limits);
    }
    /// Halves the distance between probes on both sides of boundaries that matter.
    Ranges place_boundaries(double part);
    Tests test(const Ranges& ranges, double part);
    /// The configurations that a test compares: the server, and those that serve elsewhere. Leaves
    /// out those that the probes call hopeless, and with it the time of many tests.
    [[nodiscard]] std::vector<std::size_t> rivals_of(std::size_t server, const Ranges& ranges,
                                                     const Sizes& sizes) const;

    Comparisons& known_;
    const RangePlan& plan_;
    std::mt19937_64 random_;
};

/// Octaves get equal times, not equal numbers of comparisons: the smallest problems have the most
/// boundaries, and one comparison of the largest can take as long as a hundred of theirs.
void RangeSearch::compare_grid() {
    std::map<int, std::vector<Sizes>> grid;  // by octave, the next one last
    for (Sizes& sizes : grid_of(plan_.domain, plan_.grid_between, random_)) {
        grid[octave_of(sizes)].push_back(std::move(sizes));
    }
    while (!grid.empty() && known_.has_time(before_tests(kGridPart))) {
        const auto next =
            std::min_element(grid.begin(), grid.end(), [&](const auto& one, const auto& other) {
                return known_.times().all(one.first) < known_.times().all(other.first);
            });
        known_.compare(next->second.back());
        next->second.pop_back();
        if (next->second.empty()) {
            grid.erase(next);
        }
    }
}

double RangeSearch::expected_test_time() const {
    // Not random_: a forecast must not change which sizes are tested.
    std::mt19937_64 random(plan_.seed);
    double sum = 0;
    for (int i = 0; i < plan_.held_out; ++i) {
        sum += known_.times().expected(random_sizes(plan_.domain, random));
    }
    return sum;
}

RangeSearch::Ranges RangeSearch::place_boundaries(double part) {
    known_.repeat_disturbed(part);
    Ranges ranges = fit();
    for (bool moved = true; moved && known_.has_time(part);) {
        moved = false;
        for (const BoundaryDoubt& doubt :
             largest_doubts(ranges, known_.table(), plan_.limits.loss, plan_.boundary)) {
            moved = (known_.has_time(part) && known_.compare(doubt.sizes, doubt.servers)) || moved;
        }
        ranges = fit();
    }
    return ranges;
}

std::vector<std::size_t> RangeSearch::rivals_of(std::size_t server, const Ranges& ranges,
                                                const Sizes& sizes) const {
    std::vector<std::size_t> rivals{server};
    for (const FittedRange& range : ranges) {
        if (range.configuration != server &&
            !known_.table().is_hopeless(range.configuration, sizes)) {
            rivals.push_back(range.configuration);
        }
    }
    return rivals;
}

RangeSearch::Tests RangeSearch::test(const Ranges& ranges, double part) {
    known_.forget_tests();
    Tests tests;
    const int most_tries = 8 * plan_.held_out;  // some are too large, or known already
    for (int i = 0; i < most_tries && std::ssize(tests) < plan_.held_out && known_.spent() < part;
         ++i) {
        const Sizes sizes = random_sizes(plan_.domain, random_);
        const std::size_t server = range_of(ranges, sizes).configuration;
        if (known_.was_tried(sizes) || !known_.test(sizes, rivals_of(server, ranges, sizes))) {
            continue;
        }
        const CostTable& tested = known_.tested();
        const CostTable::Probe& probe = tested.probes().back();
        tests.push_back(
            {sizes, tested.loss(probe, server), tested.serves(probe, server, plan_.bound)});
    }
    return tests;
}

std::vector<ServedRange> RangeSearch::run() {
    known_.search_anchors();
    compare_grid();
    known_.search_slow_probes();
    Ranges ranges = place_boundaries(before_tests(kBoundariesPart));
    Tests tests = test(ranges, plan_.first_tests);
    const auto failed = [&] {
        return !known_.unknown().empty() ||
               std::any_of(tests.begin(), tests.end(),
                           [](const HeldOutTest& one) { return !one.good; });
    };
    for (int round = 1; round < plan_.rounds && known_.has_time(failed() ? 1 : plan_.polish);
         ++round) {
        known_.learn();
        known_.search_slow_probes();
        // Half of what is left is for the tests.
        Ranges learnt = place_boundaries((1 + known_.spent()) / 2);
        Tests others = test(learnt, 1);
        if (std::ssize(others) < plan_.held_out && std::ssize(tests) >= plan_.held_out) {
            break;  // no time was left to test them: the ranges before were tested whole
        }
        ranges = std::move(learnt);
        tests = std::move(others);
    }
    known_.repeat_disturbed(1);
    return judge_ranges(ranges, known_.table(), tests, known_.unknown(), plan_.bound,
                        have_passed(tests, plan_.bound, static_cast<std::size_t>(plan_.held_out)));
}

}  // namespace

std::vector<ServedRange> search_range(RangeBench& bench, const RangePlan& plan) {
    Comparisons known(bench, plan);
    return dimensions_of(plan.domain) > 1 ? search_shapes(known, plan)
                                          : RangeSearch(known, plan).run();
}

}  // namespace jitune::internal
