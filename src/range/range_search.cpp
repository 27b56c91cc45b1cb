// SPDX-License-Identifier: Apache-2.0
#include "range/range_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "range/size_grid.hpp"

namespace jitune::internal {

namespace {

double sizes_in(const SizeBox& box) {
    double count = 1;
    for (std::size_t i = 0; i < box.from.size(); ++i) {
        count *= static_cast<double>(box.to[i] - box.from[i] + 1);
    }
    return count;
}

class RangeSearch {
public:
    RangeSearch(RangeBench& bench, const RangePlan& plan)
        : bench_(bench), plan_(plan), random_(plan.seed) {}

    std::vector<ServedRange> run();

private:
    using Ranges = std::vector<FittedRange>;
    struct Test {
        Sizes sizes;
        double loss = 1;
        bool good = true;
    };

    void search_anchors();
    [[nodiscard]] Sizes snapped(Sizes sizes) const;
    /// Compares the plausible configurations and `wanted` there. False where nothing was timed.
    bool compare(const Sizes& wished, const std::vector<std::size_t>& wanted, CostTable& into);
    bool compare(const Sizes& sizes) { return compare(sizes, {}, table_); }
    [[nodiscard]] bool has_time() {
        return !bench_.is_over() && table_.probes().size() < plan_.most_probes;
    }
    [[nodiscard]] Ranges fit();
    /// Halves the distance between probes on both sides of boundaries that matter.
    Ranges place_boundaries();
    [[nodiscard]] std::vector<Sizes> wide_boundaries(const Ranges& ranges) const;
    [[nodiscard]] bool nothing_between(const Sizes& left, const Sizes& right) const;
    std::vector<Test> test(const Ranges& ranges);
    void learn(const std::vector<Test>& tests);
    [[nodiscard]] std::vector<ServedRange> served(const Ranges& ranges,
                                                  const std::vector<Test>& tests) const;
    [[nodiscard]] ServedRange served_by(const std::vector<SizeBox>& boxes,
                                        std::size_t configuration,
                                        const std::vector<Test>& tests) const;
    void judge(ServedRange& range, std::size_t configuration, const std::vector<Test>& tests) const;

    RangeBench& bench_;
    const RangePlan& plan_;
    std::mt19937_64 random_;
    CostTable table_;
    CostTable tested_;  ///< the held-out sizes, which take no part in choosing
    std::vector<std::size_t> codes_;
    std::map<std::string, std::size_t> code_numbers_;
};

void RangeSearch::search_anchors() {
    constexpr std::ptrdiff_t kHints = 12;
    for (const Sizes& anchor : plan_.anchors) {
        if (table_.configurations().size() > 0 && bench_.is_over()) {
            break;
        }
        const auto& known = table_.configurations();
        const auto first = known.end() - std::min(std::ssize(known), kHints);
        const std::vector<std::string> hints(first, known.end());
        for (const std::string& found : bench_.search(snapped(anchor), hints)) {
            table_.number_of(found);
        }
    }
    for (const Sizes& anchor : plan_.anchors) {
        compare(anchor);
    }
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
    if (!plan_.domain.contains(sizes) || table_.has(sizes) || into.has(sizes) ||
        elements_of(sizes) > plan_.most_elements) {
        return false;
    }
    std::vector<std::size_t> numbers;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < table_.configurations().size(); ++i) {
        const bool is_wanted = std::find(wanted.begin(), wanted.end(), i) != wanted.end();
        if (is_wanted || table_.is_plausible(i, sizes)) {
            numbers.push_back(i);
            names.push_back(table_.configurations()[i]);
        }
    }
    if (names.empty()) {
        return false;
    }
    const Comparison comparison = bench_.compare(sizes, names);
    for (const std::string& configuration : comparison.refuted) {
        table_.refute(table_.number_of(configuration));
        tested_.refute(table_.number_of(configuration));
    }
    if (comparison.timings.empty()) {
        return false;
    }
    for (const auto& [configuration, timing] : comparison.timings) {
        table_.number_of(configuration);  // perhaps the default, for the first time
    }
    for (const std::string& configuration : table_.configurations()) {  // the same numbers in both
        into.number_of(configuration);
    }
    into.add(sizes, numbers, comparison);
    return true;
}

RangeSearch::Ranges RangeSearch::fit() {
    const auto& known = table_.configurations();
    while (codes_.size() < known.size()) {
        const auto code =
            code_numbers_.emplace(bench_.code_of(known[codes_.size()]), code_numbers_.size());
        codes_.push_back(code.first->second);
    }
    return fit_ranges(table_, plan_.domain, codes_, plan_.limits);
}

bool RangeSearch::nothing_between(const Sizes& left, const Sizes& right) const {
    SizeBox spanned{left, right};
    for (std::size_t i = 0; i < left.size(); ++i) {
        spanned.from[i] = std::min(left[i], right[i]);
        spanned.to[i] = std::max(left[i], right[i]);
    }
    return std::none_of(
        table_.probes().begin(), table_.probes().end(), [&](const CostTable::Probe& probe) {
            return probe.sizes != left && probe.sizes != right && spanned.contains(probe.sizes);
        });
}

std::vector<Sizes> RangeSearch::wide_boundaries(const Ranges& ranges) const {
    const auto& probes = table_.probes();
    std::vector<std::size_t> server;
    for (const CostTable::Probe& probe : probes) {
        server.push_back(range_of(ranges, probe.sizes).configuration);
    }
    const double limit = plan_.limits.loss;
    std::vector<Sizes> wide;
    for (std::size_t a = 0; a < probes.size(); ++a) {
        for (std::size_t b = a + 1; b < probes.size(); ++b) {
            // A boundary does not matter where each side could serve the other.
            const bool matters =
                server[a] != server[b] && (!table_.serves(probes[a], server[b], limit) ||
                                           !table_.serves(probes[b], server[a], limit));
            if (!matters || octaves_between(probes[a].sizes, probes[b].sizes) <= plan_.boundary ||
                !nothing_between(probes[a].sizes, probes[b].sizes)) {
                continue;
            }
            const Sizes middle = between(probes[a].sizes, probes[b].sizes);
            const bool is_new = !table_.has(middle) && !tested_.has(middle) &&
                                std::find(wide.begin(), wide.end(), middle) == wide.end();
            if (is_new) {
                wide.push_back(middle);
            }
        }
    }
    return wide;
}

RangeSearch::Ranges RangeSearch::place_boundaries() {
    Ranges ranges = fit();
    for (bool moved = true; moved && has_time();) {
        moved = false;
        for (const Sizes& sizes : wide_boundaries(ranges)) {
            moved = has_time() && (compare(sizes) || moved);
        }
        ranges = fit();
    }
    return ranges;
}

std::vector<RangeSearch::Test> RangeSearch::test(const Ranges& ranges) {
    tested_ = CostTable();
    std::vector<std::size_t> kept;
    for (const FittedRange& range : ranges) {
        kept.push_back(range.configuration);
    }
    std::vector<Test> tests;
    const int most_tries = 8 * plan_.held_out;  // some are too large, or known already
    for (int i = 0; i < most_tries && std::ssize(tests) < plan_.held_out && !bench_.is_over();
         ++i) {
        const Sizes sizes = random_sizes(plan_.domain, random_);
        if (!compare(sizes, kept, tested_)) {
            continue;
        }
        const CostTable::Probe& probe = tested_.probes().back();
        const std::size_t server = range_of(ranges, sizes).configuration;
        tests.push_back(
            {sizes, tested_.loss(probe, server), tested_.serves(probe, server, plan_.limits.loss)});
    }
    return tests;
}

/// Held-out sizes become probes: others will test what is learnt from them.
void RangeSearch::learn(const std::vector<Test>& tests) {
    for (std::size_t i = 0; i < tests.size(); ++i) {
        if (tests[i].good) {
            continue;
        }
        const CostTable::Probe& probe = tested_.probes()[i];
        Comparison again{.timings = {}, .standard = probe.standard};
        std::vector<std::size_t> compared;
        for (std::size_t number = 0; number < probe.timings.size(); ++number) {
            if (probe.timings[number].ns == 0) {
                continue;
            }
            compared.push_back(number);
            if (std::isfinite(probe.timings[number].ns)) {
                again.timings[tested_.configurations()[number]] = probe.timings[number];
            }
        }
        table_.add(probe.sizes, compared, again);
    }
}

void RangeSearch::judge(ServedRange& range, std::size_t configuration,
                        const std::vector<Test>& tests) const {
    bool good = true;
    for (const Test& one : tests) {
        if (covers(range.boxes, one.sizes)) {
            ++range.held_out;
            range.loss_bound = std::max(range.loss_bound, one.loss);
            good = good && one.good;
        }
    }
    double unseen = 0;  // sizes that were not compared
    for (const SizeBox& box : range.boxes) {
        unseen += sizes_in(box);
    }
    double nearest = std::numeric_limits<double>::infinity();
    const SizeBox& first = range.boxes.front();
    for (const CostTable::Probe& probe : table_.probes()) {
        if (!covers(range.boxes, probe.sizes)) {
            continue;
        }
        --unseen;
        const double far = std::abs(octaves_between(probe.sizes, first.from) -
                                    octaves_between(probe.sizes, first.to));
        if (first.contains(probe.sizes) && far < nearest) {
            nearest = far;
            range.sizes = probe.sizes;
        }
        if (range.held_out == 0) {
            range.loss_bound = std::max(range.loss_bound, table_.loss(probe, configuration));
        }
        good = good && table_.serves(probe, configuration, plan_.limits.loss);
    }
    const bool is_tested = range.held_out > 0 || unseen <= 0 ||
                           std::ssize(tests) >= plan_.held_out;  // all ranges together
    range.unsure = !good || !is_tested;
}

ServedRange RangeSearch::served_by(const std::vector<SizeBox>& boxes, std::size_t configuration,
                                   const std::vector<Test>& tests) const {
    ServedRange range;
    range.configuration = table_.configurations()[configuration];
    range.boxes = boxes;
    range.sizes = boxes.front().from;
    judge(range, configuration, tests);
    return range;
}

/// The boxes of a configuration are one range, but those where a test failed are another.
std::vector<ServedRange> RangeSearch::served(const Ranges& ranges,
                                             const std::vector<Test>& tests) const {
    std::map<std::pair<std::size_t, bool>, std::vector<SizeBox>> boxes;
    for (const FittedRange& range : ranges) {
        const bool unsure = served_by({range.box}, range.configuration, tests).unsure;
        boxes[{range.configuration, unsure}].push_back(range.box);
    }
    std::vector<ServedRange> served;
    for (const auto& [key, those] : boxes) {
        served.push_back(served_by(joined(those), key.first, tests));
    }
    std::sort(served.begin(), served.end(), [](const ServedRange& a, const ServedRange& b) {
        return a.boxes.front().from < b.boxes.front().from;
    });
    return served;
}

std::vector<ServedRange> RangeSearch::run() {
    search_anchors();
    for (const Sizes& sizes : grid_of(plan_.domain, plan_.grid_between, random_)) {
        if (has_time()) {
            compare(sizes);
        }
    }
    Ranges ranges = place_boundaries();
    std::vector<Test> tests = test(ranges);
    const auto failed = [&] {
        return std::any_of(tests.begin(), tests.end(), [](const Test& one) { return !one.good; });
    };
    for (int round = 1; round < plan_.rounds && failed() && has_time(); ++round) {
        learn(tests);
        ranges = place_boundaries();
        tests = test(ranges);
    }
    return served(ranges, tests);
}

}  // namespace

std::vector<ServedRange> search_range(RangeBench& bench, const RangePlan& plan) {
    return RangeSearch(bench, plan).run();
}

}  // namespace jitune::internal
