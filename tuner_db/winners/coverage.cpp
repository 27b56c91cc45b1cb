// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/coverage.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sizes/box_sets.hpp"
#include "support/hash.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/trust.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

/// Takes from each row the sizes that one before it serves.
void leave_to_the_first(std::span<ServedSizes* const> rows) {
    std::vector<SizeBox> all;
    for (const ServedSizes* const row : rows) {
        all.insert(all.end(), row->boxes.begin(), row->boxes.end());
    }
    const BoxIndex index(all);
    std::size_t before = 0;
    for (ServedSizes* const row : rows) {
        std::vector<SizeBox> left;
        for (const SizeBox& box : row->boxes) {
            const std::vector<SizeBox> parts = index.outside(box, before);
            left.insert(left.end(), parts.begin(), parts.end());
        }
        before += row->boxes.size();
        row->boxes = std::move(left);
    }
}

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
        configurations.insert(server_text(*winner));
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

/// The common part of rows that differ in nothing but the sizes that they serve: the kernel, the
/// configuration (the default is one), whether they are unsure, and the number of sizes.
using Entry = std::tuple<KernelKey, std::string, bool, std::size_t>;

void add_entry(Hasher& hasher, const Entry& entry, std::span<const SizeBox> boxes) {
    const auto& [key, configuration, unsure, dimensions] = entry;
    hasher.text(key.kernel).text(key.types).integer(key.alignment);
    hasher.text(key.template_hash).text(key.device_class).text(configuration);
    hasher.integer(unsure ? 1 : 0).integer(std::ssize(boxes));
    for (const SizeBox& box : boxes) {
        hasher.integer(std::ssize(box.from));
        for (std::size_t i = 0; i < box.from.size(); ++i) {
            hasher.integer(box.from[i]).integer(box.to[i]);
        }
    }
}

}  // namespace

std::vector<ServedSizes> served_sizes(std::span<const Winner> winners) {
    std::vector<ServedSizes> rows;
    for (const Winner& winner : winners) {
        rows.push_back({&winner, boxes_of(winner).value_or(std::vector<SizeBox>{})});
    }
    std::sort(rows.begin(), rows.end(), [](const ServedSizes& left, const ServedSizes& right) {
        return serves_before(*left.winner, *right.winner);
    });
    std::map<SizedKernel, std::vector<ServedSizes*>> sure;
    for (ServedSizes& row : rows) {
        if (may_serve(trust_of(*row.winner))) {
            sure[sized_kernel(*row.winner)].push_back(&row);
        }
    }
    for (const auto& [key, its] : sure) {
        leave_to_the_first(its);
    }
    return rows;
}

const Winner* Coverage::worst() const {
    const auto worst = std::max_element(winners.begin(), winners.end(),
                                        [](const Winner* left, const Winner* right) {
                                            return left->range.loss_bound < right->range.loss_bound;
                                        });
    return worst == winners.end() || (*worst)->range.loss_bound <= 0 ? nullptr : *worst;
}

std::vector<Coverage> coverage_of(std::span<const Winner> winners) {
    std::map<SizedKernel, Coverage> by_key;
    for (const ServedSizes& row : served_sizes(winners)) {
        add_row(by_key[sized_kernel(*row.winner)], row);
    }
    std::vector<Coverage> all;
    for (auto& [key, coverage] : by_key) {
        finish(coverage);
        all.push_back(std::move(coverage));
    }
    return all;
}

std::string table_digest(std::span<const Winner> winners) {
    std::map<Entry, std::vector<SizeBox>> table;
    for (const ServedSizes& row : served_sizes(winners)) {
        if (row.boxes.empty()) {
            continue;
        }
        std::vector<SizeBox>& served =
            table[{row.winner->key, server_text(*row.winner), row.winner->range.unsure,
                   row.boxes.front().from.size()}];
        served.insert(served.end(), row.boxes.begin(), row.boxes.end());
    }
    Hasher hasher("table");
    for (const auto& [entry, boxes] : table) {
        add_entry(hasher, entry, united(boxes));
    }
    return hex(hasher.digest());
}

}  // namespace jitune::internal
