// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/coverage.hpp"
#include "tuner_db/winners/trust.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sizes/box_sets.hpp"
#include "tuner_db/winners/served_sizes.hpp"

namespace jitune::internal {

namespace {

void add_row(Coverage& coverage, const ServedSizes& row) {
    const Winner& winner = *row.winner;
    coverage.key = winner.key;
    coverage.size_names = size_names(winner.sizes);
    if (!may_serve(trust_of(winner))) {
        coverage.unsure.push_back(&winner);
    } else if (!row.boxes.empty()) {
        coverage.winners.push_back(&winner);
        coverage.served.insert(coverage.served.end(), row.boxes.begin(), row.boxes.end());
    }
}

void finish(Coverage& coverage) {
    std::set<std::string> configurations;
    for (const Winner* const winner : coverage.winners) {
        configurations.insert(winner->configuration);
    }
    coverage.configurations = configurations.size();
    coverage.served = united(coverage.served);
    if (coverage.served.empty()) {
        return;
    }
    const SizeBox all = box_around(coverage.served);
    coverage.share = share_of(coverage.served, all);
    if (all.from.size() == 1) {
        coverage.holes = outside({&all, 1}, coverage.served);
    }
}

}  // namespace

const Winner* Coverage::worst() const {
    const auto worst = std::max_element(winners.begin(), winners.end(),
                                        [](const Winner* left, const Winner* right) {
                                            return left->range.loss_bound < right->range.loss_bound;
                                        });
    return worst == winners.end() || (*worst)->range.loss_bound <= 0 ? nullptr : *worst;
}

std::vector<Coverage> coverage_of(std::span<const Winner> winners) {
    std::map<const Winner*, Coverage, KeyOfAnyBucket> by_key;
    for (const ServedSizes& row : served_sizes(winners)) {
        add_row(by_key[row.winner], row);
    }
    std::vector<Coverage> all;
    for (auto& [winner, coverage] : by_key) {
        finish(coverage);
        all.push_back(std::move(coverage));
    }
    return all;
}

}  // namespace jitune::internal
