// SPDX-License-Identifier: Apache-2.0
#include "range/shape_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <tuple>

#include "range/cost_estimate.hpp"
#include "range/range_fit.hpp"
#include "range/size_grid.hpp"

// Each cell of a grid over the shapes gets the configuration that is best by an estimate in its
// middle and by the probes in it. After the searches at the anchors, all time goes into random
// shapes. Each of them tests its cell as it is fitted without it, and is then learnt from
// ("prequential": Dawid, "Statistical theory: the prequential approach", 1984): so every comparison
// both tests and teaches. The last fit knows more than those that were tested.
//
// The tests also say which cells to trust: those whose expected loss is so small that of the tests
// in such cells only few failed. The same tests choose and justify that loss, so that more may fail
// later, the more the fewer tests there were (El-Yaniv and Wiener, "On the foundations of
// noise-free selective classification", 2010).

namespace jitune::internal {

namespace {

class ShapeSearch {
public:
    ShapeSearch(Comparisons& known, const RangePlan& plan)
        : known_(known),
          plan_(plan),
          wanted_tests_(static_cast<std::size_t>(plan.held_out)),
          cells_(cells_of(plan.domain)),
          random_(plan.seed) {}

    std::vector<ServedRange> run();

private:
    /// A cell with the configuration that serves it, by all probes so far.
    [[nodiscard]] FittedRange fitted(const SizeBox& cell) const;
    /// Tests random shapes for as long as there is time.
    void test();
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
    std::mt19937_64 random_;
    std::vector<HeldOutTest> tests_;       ///< in the order in which they were made
    std::map<Sizes, std::size_t> tested_;  ///< the configuration that a test was of
};

FittedRange ShapeSearch::fitted(const SizeBox& cell) const {
    constexpr double kFar = 4;  // losses far beyond any limit count alike
    const CostTable& table = known_.fitted_table();
    const Sizes middle = middle_of(cell);
    std::vector<const CostTable::Probe*> inside;
    for (const CostTable::Probe& probe : table.probes()) {
        if (cell.contains(probe.sizes)) {
            inside.push_back(&probe);
        }
    }
    FittedRange best{cell, known_.going_on().front(), std::numeric_limits<double>::infinity()};
    std::optional<std::tuple<bool, std::size_t, double, std::string>> least;
    for (const std::size_t configuration : known_.going_on()) {
        const auto expected = estimated_loss(table, configuration, middle);
        if (!expected) {
            continue;
        }
        std::size_t failures = expected->value > plan_.limits.loss ? 1 : 0;
        double log_loss = std::log(std::min(expected->value, kFar));
        for (const CostTable::Probe* const probe : inside) {
            failures += table.serves(*probe, configuration, plan_.limits.loss) ? 0 : 1;
            log_loss += std::log(std::min(table.loss(*probe, configuration), kFar));
        }
        const std::tuple its(!table.is_plausible(configuration, middle), failures, log_loss,
                             table.configurations()[configuration]);
        if (!least || its < *least) {
            least = its;
            best.configuration = configuration;
            best.expected_loss = expected->value;
        }
    }
    return best;
}

void ShapeSearch::test() {
    const std::size_t most_in_vain = 8 * wanted_tests_;  // some are too large, or known already
    for (std::size_t in_vain = 0; in_vain < most_in_vain && has_time(); ++in_vain) {
        known_.search_slow_probes();
        const Sizes sizes = random_sizes(plan_.domain, random_);
        if (known_.was_tried(sizes)) {
            continue;
        }
        const auto cell = std::find_if(cells_.begin(), cells_.end(),
                                       [&](const SizeBox& one) { return one.contains(sizes); });
        const FittedRange range = fitted(*cell);
        if (!known_.compare(sizes, {range.configuration})) {
            continue;
        }
        const CostTable& table = known_.table();
        const CostTable::Probe& probe = table.probes().back();
        tests_.push_back({probe.sizes, table.loss(probe, range.configuration),
                          table.serves(probe, range.configuration, plan_.bound),
                          range.expected_loss});
        tested_[probe.sizes] = range.configuration;
        in_vain = 0;
    }
}

std::vector<HeldOutTest> ShapeSearch::late_tests() const {
    const std::size_t count = std::min(std::max(tests_.size() / 2, wanted_tests_), tests_.size());
    return {tests_.end() - static_cast<std::ptrdiff_t>(count), tests_.end()};
}

std::vector<ServedRange> ShapeSearch::run() {
    known_.search_anchors();
    test();
    known_.repeat_disturbed(1);
    std::vector<FittedRange> ranges;
    std::transform(cells_.begin(), cells_.end(), std::back_inserter(ranges),
                   [&](const SizeBox& cell) { return fitted(cell); });
    const std::optional<double> most = most_trusted_loss(late_tests(), wanted_tests_);
    for (FittedRange& range : ranges) {
        range.is_doubtful = !most || range.expected_loss > *most;
    }
    std::vector<HeldOutTest> tests = tests_;
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
