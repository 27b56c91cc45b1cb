// SPDX-License-Identifier: Apache-2.0
#include "range/range_search.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "range/comparison_times.hpp"
#include "range/cost_estimate.hpp"
#include "range/range_judgement.hpp"
#include "range/size_grid.hpp"

// How winners for a range are found, in the order of run():
//
// 1. Searches at the anchors find the configurations that are worth a comparison.
// 2. Comparisons on a grid show where each of them is fast.
// 3. If a larger problem takes less time than a smaller one, one more search looks for what is
//    missing there.
// 4. Ranges are fitted to all probes, and comparisons near their boundaries place these.
// 5. Random sizes, which took no part in any of this, test the ranges. They then become probes, and
//    steps 3 to 5 come again: for as long as tests fail and time is left, else for a part of it.
//
// A comparison that was disturbed is not made, and tried again: at once, when step 4 begins, and at
// the end.
//
// Each step ends at its part of the time: a step without an end would leave none for the tests.

namespace jitune::internal {

namespace {

/// Parts of the time that the anchors leave: the grid ends at the first, the first placing of
/// boundaries at the second. The tests, and learning from them, have the rest.
constexpr double kGridPart = 0.4;
constexpr double kBoundariesPart = 0.7;
constexpr double kLeastPart = 0.3;  ///< even if the tests need more than the rest
/// Tests pass if no more than one in so many fails.
constexpr std::ptrdiff_t kOneIn = 20;
/// At once: other sizes would cost as much, and leave these unknown.
constexpr int kTries = 3;

class RangeSearch {
public:
    RangeSearch(RangeBench& bench, const RangePlan& plan)
        : bench_(bench), plan_(plan), random_(plan.seed) {}

    std::vector<ServedRange> run();

private:
    using Ranges = std::vector<FittedRange>;
    using Tests = std::vector<HeldOutTest>;

    /// Searches with the configurations that were found last as hints. Returns what it has found.
    [[nodiscard]] std::vector<std::size_t> search(const Sizes& sizes);
    void search_anchors();
    void compare_grid();
    /// Searches at probes where a larger problem takes clearly less time: a better configuration
    /// than the known ones exists there. Compares what it finds at the probes near by.
    void search_slow_probes();
    /// The sizes of the probes within an octave, the nearest first.
    [[nodiscard]] std::vector<Sizes> probes_near(const Sizes& sizes) const;
    /// The probe whose time is most above that of a larger one, or nullptr if no larger one is
    /// faster.
    [[nodiscard]] const CostTable::Probe* slowest_probe() const;
    [[nodiscard]] Sizes snapped(Sizes sizes) const;
    /// Compares the plausible and the `wanted` configurations there, and again those that were
    /// compared there before. False if nothing was timed, if everything wanted is known, or if the
    /// comparison was disturbed.
    bool compare(const Sizes& wished, const std::vector<std::size_t>& wanted, CostTable& into);
    bool compare(const Sizes& sizes) { return compare(sizes, {}, table_); }
    void refute(const std::vector<std::string>& configurations);
    /// True if less than `part` of the time and of the probes is used up.
    [[nodiscard]] bool has_time(double part = 1) const {
        return bench_.spent() < part && static_cast<double>(table_.probes().size()) <
                                            part * static_cast<double>(plan_.most_probes);
    }
    /// `part` of what the anchors leave, or less if the first tests will need more than the
    /// rest.
    [[nodiscard]] double before_tests(double part) const {
        const auto after_anchors = [&](double its) {
            return anchored_ + its * std::max(1 - anchored_, 0.0);
        };
        return std::min(after_anchors(part),
                        std::max(1 - expected_test_time(), after_anchors(kLeastPart)));
    }
    /// The expected time to test all held-out sizes.
    [[nodiscard]] double expected_test_time() const;
    /// The sizes at which every comparison was disturbed.
    [[nodiscard]] std::vector<Sizes> unknown() const;
    void repeat_disturbed(double part);
    /// Disturbed times are better than none, but make nothing sure.
    [[nodiscard]] const CostTable& fitted_table() const {
        return table_.probes().empty() && !disturbed_.probes().empty() ? disturbed_ : table_;
    }
    [[nodiscard]] Ranges fit();
    /// The ranges to serve. In several dimensions, boundaries run at a slant and probes are far
    /// apart. So each cell of a grid gets the configuration that serves it best by estimates and by
    /// the probes in it, and is doubtful if that one is not expected to be good there.
    [[nodiscard]] Ranges settled(const Ranges& ranges) const;
    /// Halves the distance between probes on both sides of boundaries that matter.
    Ranges place_boundaries(double part);
    Tests test(const Ranges& ranges, double part);
    /// The configurations that a test compares: the server, and those that serve elsewhere. Leaves
    /// out those that the probes call hopeless, and with it the time of many tests.
    [[nodiscard]] std::vector<std::size_t> rivals_of(std::size_t server, const Ranges& ranges,
                                                     const Sizes& sizes) const;
    void learn();

    RangeBench& bench_;
    const RangePlan& plan_;
    std::mt19937_64 random_;
    CostTable table_;
    CostTable tested_;     ///< the held-out sizes, which take no part in choosing
    CostTable disturbed_;  ///< the last one of each size's disturbed comparisons
    std::vector<std::size_t> codes_;
    std::map<std::string, std::size_t> code_numbers_;
    ComparisonTimes times_;  ///< in parts of the time
    /// A cell that is expected to lose more is doubtful.
    double most_expected_ = 1.04;
    double anchored_ = 0;               ///< part of the time that was spent after the anchors
    std::vector<Sizes> more_searched_;  ///< by search_slow_probes()
};

std::vector<std::size_t> RangeSearch::search(const Sizes& sizes) {
    constexpr std::ptrdiff_t kHints = 12;
    const auto& known = table_.configurations();
    std::vector<std::size_t> found;
    for (const std::string& one :
         bench_.search(sizes, {known.end() - std::min(std::ssize(known), kHints), known.end()})) {
        found.push_back(table_.number_of(one));
    }
    return found;
}

void RangeSearch::search_anchors() {
    std::vector<std::vector<std::size_t>> found;  // by anchor
    for (const Sizes& anchor : plan_.anchors) {
        // Without any configuration there is no answer: one search comes first, however long.
        if (table_.configurations().size() > 0 && bench_.spent() >= 1) {
            break;
        }
        found.push_back(search(snapped(anchor)));
    }
    // After all searches, so that each comparison has the configurations of all of them.
    found.resize(plan_.anchors.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (fitted_table().probes().empty() || has_time()) {
            compare(plan_.anchors[i], found[i], table_);
        }
    }
    anchored_ = bench_.spent();
}

/// Octaves get equal times, not equal numbers of comparisons: the smallest problems have the most
/// boundaries, and one comparison of the largest can take as long as a hundred of theirs.
void RangeSearch::compare_grid() {
    std::map<int, std::vector<Sizes>> grid;  // by octave, the next one last
    for (Sizes& sizes : grid_of(plan_.domain, plan_.grid_between, random_)) {
        grid[octave_of(sizes)].push_back(std::move(sizes));
    }
    while (!grid.empty() && has_time(before_tests(kGridPart))) {
        const auto next =
            std::min_element(grid.begin(), grid.end(), [&](const auto& one, const auto& other) {
                return times_.all(one.first) < times_.all(other.first);
            });
        compare(next->second.back());
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
        sum += times_.expected(random_sizes(plan_.domain, random));
    }
    return sum;
}

const CostTable::Probe* RangeSearch::slowest_probe() const {
    constexpr double kClearly = 1.05;
    constexpr double kNear = 0.25;  // octaves
    const auto& probes = table_.probes();
    const CostTable::Probe* slowest = nullptr;
    double most = kClearly;
    for (const CostTable::Probe& probe : probes) {
        const bool is_done = std::any_of(
            more_searched_.begin(), more_searched_.end(),
            [&](const Sizes& sizes) { return octaves_between(sizes, probe.sizes) < kNear; });
        for (const CostTable::Probe& larger : probes) {
            // In every dimension: else the probes need not differ in time as they do in size.
            const bool is_larger = std::equal(probe.sizes.begin(), probe.sizes.end(),
                                              larger.sizes.begin(), std::less_equal<>());
            const double ratio = probe.best.ns / larger.best.ns;
            if (!is_done && is_larger && larger.best.ns > 0 && ratio > most) {
                most = ratio;
                slowest = &probe;
            }
        }
    }
    return slowest;
}

void RangeSearch::search_slow_probes() {
    while (std::ssize(more_searched_) < plan_.more_searches && has_time()) {
        const CostTable::Probe* const slow = slowest_probe();
        if (slow == nullptr) {
            break;
        }
        const Sizes sizes = slow->sizes;
        more_searched_.push_back(sizes);
        const std::vector<std::size_t> found = search(sizes);
        for (const Sizes& probe : probes_near(sizes)) {
            if (has_time()) {
                compare(probe, found, table_);
            }
        }
    }
}

std::vector<Sizes> RangeSearch::probes_near(const Sizes& sizes) const {
    constexpr double kNear = 1;  // octave
    std::vector<Sizes> near;
    for (const CostTable::Probe& probe : table_.probes()) {
        if (octaves_between(probe.sizes, sizes) <= kNear) {
            near.push_back(probe.sizes);
        }
    }
    std::sort(near.begin(), near.end(), [&](const Sizes& one, const Sizes& other) {
        return octaves_between(one, sizes) < octaves_between(other, sizes);
    });
    return near;
}

/// Rounds each size down to its multiple. The result can lie outside of the domain.
Sizes RangeSearch::snapped(Sizes sizes) const {
    for (std::size_t i = 0; i < plan_.multiples.size(); ++i) {
        sizes[i] = std::max(sizes[i] / plan_.multiples[i], std::int64_t{1}) * plan_.multiples[i];
    }
    return sizes;
}

bool RangeSearch::compare(const Sizes& wished, const std::vector<std::size_t>& wanted,
                          CostTable& into) {
    const Sizes sizes = snapped(wished);
    if (!plan_.domain.contains(sizes) || elements_of(sizes) > plan_.most_elements) {
        return false;
    }
    const CostTable::Probe* const known = into.at(sizes);
    const auto is_known = [&](std::size_t i) { return known != nullptr && known->has(i); };
    if (known != nullptr && std::all_of(wanted.begin(), wanted.end(), is_known)) {
        return false;
    }
    std::vector<std::size_t> numbers;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < table_.configurations().size(); ++i) {
        const bool is_wanted = std::find(wanted.begin(), wanted.end(), i) != wanted.end();
        if (is_wanted || is_known(i) || table_.is_plausible(i, sizes)) {
            numbers.push_back(i);
            names.push_back(table_.configurations()[i]);
        }
    }
    if (names.empty()) {
        return false;
    }
    const double begun = bench_.spent();
    Comparison comparison;
    int tries = 0;
    do {
        comparison = bench_.compare(sizes, names);
        refute(comparison.refuted);
    } while (comparison.disturbed && ++tries < kTries && bench_.spent() < plan_.first_tests);
    times_.add(sizes, bench_.spent() - begun);
    if (comparison.timings.empty()) {
        return false;
    }
    for (const auto& [configuration, timing] : comparison.timings) {
        table_.number_of(configuration);  // perhaps the default, for the first time
    }
    CostTable& target = comparison.disturbed ? disturbed_ : into;
    for (const std::string& configuration : table_.configurations()) {  // the same numbers in all
        target.number_of(configuration);
    }
    target.add(sizes, numbers, comparison);
    return !comparison.disturbed;
}

void RangeSearch::refute(const std::vector<std::string>& configurations) {
    for (const std::string& configuration : configurations) {
        const std::size_t number = table_.number_of(configuration);
        table_.refute(number);
        tested_.refute(number);
        disturbed_.refute(number);
    }
}

std::vector<Sizes> RangeSearch::unknown() const {
    std::vector<Sizes> unknown;
    for (const CostTable::Probe& probe : disturbed_.probes()) {
        if (table_.at(probe.sizes) == nullptr && tested_.at(probe.sizes) == nullptr) {
            unknown.push_back(probe.sizes);
        }
    }
    return unknown;
}

void RangeSearch::repeat_disturbed(double part) {
    for (const Sizes& sizes : unknown()) {
        if (has_time(part)) {
            compare(sizes);
        }
    }
}

RangeSearch::Ranges RangeSearch::fit() {
    const auto& known = table_.configurations();
    while (codes_.size() < known.size()) {
        const auto code =
            code_numbers_.emplace(bench_.code_of(known[codes_.size()]), code_numbers_.size());
        codes_.push_back(code.first->second);
    }
    return fit_ranges(fitted_table(), {plan_.domain}, codes_, plan_.limits);
}

RangeSearch::Ranges RangeSearch::settled(const Ranges& ranges) const {
    if (dimensions_of(plan_.domain) <= 1) {
        return ranges;
    }
    std::set<std::size_t> kept;
    for (const FittedRange& range : ranges) {
        kept.insert(range.configuration);
    }
    const std::vector<SizeBox> cells = cells_of(plan_.domain);
    std::vector<Sizes> middles;
    std::transform(cells.begin(), cells.end(), std::back_inserter(middles), middle_of);
    const CostTable& known = fitted_table();
    const CostTable expected = with_estimates(known, middles, {kept.begin(), kept.end()});
    Ranges settled = fit_ranges(expected, cells, codes_, plan_.limits);
    for (FittedRange& range : settled) {
        const auto loss = estimated_loss(known, range.configuration, middle_of(range.box));
        range.is_doubtful = !loss || loss->value > most_expected_;
    }
    return settled;
}

RangeSearch::Ranges RangeSearch::place_boundaries(double part) {
    repeat_disturbed(part);
    Ranges ranges = fit();
    for (bool moved = true; moved && has_time(part);) {
        moved = false;
        for (const BoundaryDoubt& doubt :
             largest_doubts(ranges, table_, plan_.limits.loss, plan_.boundary)) {
            moved = (has_time(part) && compare(doubt.sizes, doubt.servers, table_)) || moved;
        }
        ranges = fit();
    }
    return ranges;
}

std::vector<std::size_t> RangeSearch::rivals_of(std::size_t server, const Ranges& ranges,
                                                const Sizes& sizes) const {
    std::vector<std::size_t> rivals{server};
    for (const FittedRange& range : ranges) {
        if (range.configuration != server && !table_.is_hopeless(range.configuration, sizes)) {
            rivals.push_back(range.configuration);
        }
    }
    return rivals;
}

RangeSearch::Tests RangeSearch::test(const Ranges& ranges, double part) {
    tested_ = CostTable();
    Tests tests;
    const int most_tries = 8 * plan_.held_out;  // some are too large, or known already
    for (int i = 0; i < most_tries && std::ssize(tests) < plan_.held_out && bench_.spent() < part;
         ++i) {
        const Sizes sizes = random_sizes(plan_.domain, random_);
        const auto& [box, server, is_doubtful] = range_of(ranges, sizes);
        if (is_doubtful || table_.at(snapped(sizes)) != nullptr ||
            disturbed_.at(snapped(sizes)) != nullptr ||
            !compare(sizes, rivals_of(server, ranges, sizes), tested_)) {
            continue;
        }
        const CostTable::Probe& probe = tested_.probes().back();
        tests.push_back(
            {sizes, tested_.loss(probe, server), tested_.serves(probe, server, plan_.bound)});
    }
    return tests;
}

/// Held-out sizes become probes: others will test what is learnt from them.
void RangeSearch::learn() {
    for (const CostTable::Probe& probe : tested_.probes()) {
        table_.add(probe);
    }
}

std::vector<ServedRange> RangeSearch::run() {
    constexpr double kStricter = 0.7;
    search_anchors();
    compare_grid();
    search_slow_probes();
    Ranges ranges = settled(place_boundaries(before_tests(kBoundariesPart)));
    Tests tests = test(ranges, plan_.first_tests);
    const auto failed = [&] {
        return !unknown().empty() || std::any_of(tests.begin(), tests.end(),
                                                 [](const HeldOutTest& one) { return !one.good; });
    };
    for (int round = 1; round < plan_.rounds && has_time(failed() ? 1 : plan_.polish); ++round) {
        learn();
        if (std::count_if(tests.begin(), tests.end(), [](const auto& one) { return !one.good; }) >
            std::ssize(tests) / kOneIn) {
            most_expected_ = 1 + kStricter * (most_expected_ - 1);
        }
        search_slow_probes();
        // Half of what is left is for the tests.
        Ranges learnt = settled(place_boundaries((1 + bench_.spent()) / 2));
        Tests others = test(learnt, 1);
        if (std::ssize(others) < plan_.held_out && std::ssize(tests) >= plan_.held_out) {
            break;  // no time was left to test them: the ranges before were tested whole
        }
        ranges = std::move(learnt);
        tests = std::move(others);
    }
    repeat_disturbed(1);
    return judge_ranges(ranges, table_, tests, unknown(), plan_.bound, plan_.held_out,
                        dimensions_of(plan_.domain));
}

}  // namespace

std::vector<ServedRange> search_range(RangeBench& bench, const RangePlan& plan) {
    return RangeSearch(bench, plan).run();
}

}  // namespace jitune::internal
