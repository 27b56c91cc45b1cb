// SPDX-License-Identifier: Apache-2.0
#include "range/comparisons.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "range/range_fit.hpp"
#include "range/size_grid.hpp"

namespace jitune::internal {

namespace {

/// At once: other sizes would cost as much, and leave these unknown.
constexpr int kTries = 3;

}  // namespace

std::vector<std::size_t> Comparisons::search(const Sizes& sizes) {
    constexpr std::ptrdiff_t kHints = 12;
    std::vector<std::string> known = table_.configurations();
    std::erase(known, kDefault);
    known.erase(known.begin(), known.end() - std::min(std::ssize(known), kHints));
    std::vector<std::size_t> found;
    for (const std::string& one : bench_.search(sizes, known)) {
        found.push_back(table_.number_of(one));
    }
    if (chosen_) {
        chosen_->insert(found.begin(), found.end());
    }
    return found;
}

void Comparisons::search_anchors() {
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
    if (dimensions_of(plan_.domain) > 1) {
        const std::vector<std::size_t> best =
            best_together(fitted_table(), plan_.limits.most_codes);
        chosen_.emplace(best.begin(), best.end());
        if (const auto number = standard()) {
            chosen_->insert(*number);
        }
    }
    anchored_ = bench_.spent();
}

const CostTable::Probe* Comparisons::slowest_probe() const {
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

void Comparisons::search_slow_probes() {
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

std::vector<Sizes> Comparisons::probes_near(const Sizes& sizes) const {
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
Sizes Comparisons::snapped(Sizes sizes) const {
    for (std::size_t i = 0; i < plan_.multiples.size(); ++i) {
        sizes[i] = std::max(sizes[i] / plan_.multiples[i], std::int64_t{1}) * plan_.multiples[i];
    }
    return sizes;
}

bool Comparisons::compare(const Sizes& wished, const std::vector<std::size_t>& wanted,
                          CostTable& into) {
    const Sizes sizes = snapped(wished);
    if (!plan_.domain.contains(sizes) || (plan_.may_compare && !plan_.may_compare(sizes))) {
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
        if (i == standard()) {
            numbers.push_back(i);
        } else if (is_wanted || is_known(i) || (goes_on(i) && table_.is_plausible(i, sizes))) {
            numbers.push_back(i);
            names.push_back(table_.configurations()[i]);
        }
    }
    if (numbers.empty()) {
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
    if (dimensions_of(plan_.domain) > 1 && comparison.standard.ns > 0) {
        comparison.timings[kDefault] = comparison.standard;
    }
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

void Comparisons::refute(const std::vector<std::string>& configurations) {
    for (const std::string& configuration : configurations) {
        const std::size_t number = table_.number_of(configuration);
        table_.refute(number);
        tested_.refute(number);
        disturbed_.refute(number);
    }
}

std::vector<Sizes> Comparisons::unknown() const {
    std::vector<Sizes> unknown;
    for (const CostTable::Probe& probe : disturbed_.probes()) {
        if (table_.at(probe.sizes) == nullptr && tested_.at(probe.sizes) == nullptr) {
            unknown.push_back(probe.sizes);
        }
    }
    return unknown;
}

void Comparisons::repeat_disturbed(double part) {
    for (const Sizes& sizes : unknown()) {
        if (has_time(part)) {
            compare(sizes);
        }
    }
}

void Comparisons::learn() {
    for (const CostTable::Probe& probe : tested_.probes()) {
        table_.add(probe);
    }
}

const std::vector<std::size_t>& Comparisons::codes() {
    const auto& known = table_.configurations();
    while (codes_.size() < known.size()) {
        const auto code =
            code_numbers_.emplace(bench_.code_of(known[codes_.size()]), code_numbers_.size());
        codes_.push_back(code.first->second);
    }
    return codes_;
}

std::vector<std::size_t> Comparisons::going_on() const {
    std::vector<std::size_t> all(table_.configurations().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::erase_if(all, [&](std::size_t configuration) { return !goes_on(configuration); });
    return all;
}

}  // namespace jitune::internal
