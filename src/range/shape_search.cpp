// SPDX-License-Identifier: Apache-2.0
#include "range/shape_search.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <random>

#include "range/cost_estimate.hpp"
#include "range/range_fit.hpp"
#include "range/size_grid.hpp"

// Each cell of a grid over the shapes gets the configuration that is best in its middle by
// estimates, and by the probes in the cell. After the searches at the anchors, all time goes into
// random shapes. Each of them tests the cells that were fitted without it, and is then learnt from
// ("prequential": Dawid, "Statistical theory: the prequential approach", 1984): so every comparison
// both tests and teaches, and the tests say at most too little about the last fit, which knows more
// than those that were tested.
//
// The tests also say which cells to trust: those whose expected loss is so small that of the tests
// in such cells only few failed (El-Yaniv and Wiener, "On the foundations of noise-free selective
// classification", 2010).

namespace jitune::internal {

namespace {

class ShapeSearch {
public:
    ShapeSearch(Comparisons& known, const RangePlan& plan)
        : known_(known),
          plan_(plan),
          wanted_tests_(static_cast<std::size_t>(plan.held_out)),
          cells_(cells_of(plan.domain)),
          random_(plan.seed) {
        std::transform(cells_.begin(), cells_.end(), std::back_inserter(middles_), middle_of);
    }

    std::vector<ServedRange> run();

private:
    [[nodiscard]] std::vector<FittedRange> fit();
    /// Tests a few shapes. False if it found none to test.
    bool test(const std::vector<FittedRange>& ranges);
    [[nodiscard]] bool has_time() const {
        return known_.has_time() ||
               (tests_.size() < wanted_tests_ && known_.spent() < plan_.first_tests);
    }
    /// The later half of the tests, or as many as are wanted: the first ones tested fits that knew
    /// little.
    [[nodiscard]] std::vector<HeldOutTest> late_tests() const;

    Comparisons& known_;
    const RangePlan& plan_;
    const std::size_t wanted_tests_;
    const std::vector<SizeBox> cells_;
    std::vector<Sizes> middles_;  ///< of the cells
    std::mt19937_64 random_;
    std::vector<HeldOutTest> tests_;       ///< in the order in which they were made
    std::map<Sizes, std::size_t> tested_;  ///< the configuration that a test was of
};

std::vector<FittedRange> ShapeSearch::fit() {
    const CostTable& table = known_.fitted_table();
    const CostTable expected = with_estimates(table, middles_, known_.going_on());
    std::vector<FittedRange> ranges = fit_ranges(expected, cells_, known_.codes(), plan_.limits);
    for (FittedRange& range : ranges) {
        const auto loss = estimated_loss(table, range.configuration, middle_of(range.box));
        range.expected_loss = loss ? loss->value : std::numeric_limits<double>::infinity();
    }
    return ranges;
}

bool ShapeSearch::test(const std::vector<FittedRange>& ranges) {
    // A fit takes as long as a few comparisons, and a few more change little.
    const std::size_t wanted = std::max<std::size_t>(8, known_.table().probes().size() / 8);
    const std::size_t most_tries = 8 * wanted;  // some are too large, or known already
    const std::size_t before = tests_.size();
    for (std::size_t i = 0; i < most_tries && tests_.size() < before + wanted && has_time(); ++i) {
        const Sizes sizes = random_sizes(plan_.domain, random_);
        const FittedRange& range = range_of(ranges, sizes);
        if (known_.was_tried(sizes) || !known_.compare(sizes, {range.configuration})) {
            continue;
        }
        const CostTable& table = known_.table();
        const CostTable::Probe& probe = table.probes().back();
        tests_.push_back({probe.sizes, table.loss(probe, range.configuration),
                          table.serves(probe, range.configuration, plan_.bound),
                          range.expected_loss});
        tested_[probe.sizes] = range.configuration;
    }
    return tests_.size() > before;
}

std::vector<HeldOutTest> ShapeSearch::late_tests() const {
    const std::size_t count = std::min(std::max(tests_.size() / 2, wanted_tests_), tests_.size());
    return {tests_.end() - static_cast<std::ptrdiff_t>(count), tests_.end()};
}

std::vector<ServedRange> ShapeSearch::run() {
    known_.search_anchors();
    known_.search_slow_probes();
    while (has_time() && test(fit())) {
        known_.search_slow_probes();
    }
    known_.repeat_disturbed(1);
    std::vector<FittedRange> ranges = fit();
    std::vector<HeldOutTest> tests = late_tests();
    const std::optional<double> most = most_trusted_loss(tests, wanted_tests_);
    for (FittedRange& range : ranges) {
        range.is_doubtful = !most || range.expected_loss > *most;
    }
    std::erase_if(tests, [&](const HeldOutTest& test) {  // it says nothing about another server
        const FittedRange& range = range_of(ranges, test.sizes);
        return range.is_doubtful || range.configuration != tested_.at(test.sizes);
    });
    return judge_ranges(ranges, known_.table(), tests, known_.unknown(), plan_.bound,
                        most.has_value());
}

}  // namespace

std::vector<ServedRange> search_shapes(Comparisons& known, const RangePlan& plan) {
    return ShapeSearch(known, plan).run();
}

}  // namespace jitune::internal
