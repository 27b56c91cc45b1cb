// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/served_sizes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sizes/box_sets.hpp"
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

}  // namespace

bool KeyOfAnyBucket::operator()(const Winner* left, const Winner* right) const {
    const auto name = [](const Winner& winner) {
        const auto dimensions = std::count(winner.sizes.begin(), winner.sizes.end(), '=');
        return std::pair<const KernelKey&, std::ptrdiff_t>(winner.key, dimensions);
    };
    return name(*left) < name(*right);
}

std::vector<ServedSizes> served_sizes(std::span<const Winner> winners) {
    std::vector<ServedSizes> rows;
    for (const Winner& winner : winners) {
        rows.push_back({&winner, boxes_of(winner).value_or(std::vector<SizeBox>{})});
    }
    std::sort(rows.begin(), rows.end(), [](const ServedSizes& left, const ServedSizes& right) {
        return serves_before(*left.winner, *right.winner);
    });
    std::map<const Winner*, std::vector<ServedSizes*>, KeyOfAnyBucket> sure;
    for (ServedSizes& row : rows) {
        if (may_serve(trust_of(*row.winner))) {
            sure[row.winner].push_back(&row);
        }
    }
    for (const auto& [key, its] : sure) {
        leave_to_the_first(its);
    }
    return rows;
}

}  // namespace jitune::internal
