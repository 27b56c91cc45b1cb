// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/table_digest.hpp"

#include <map>
#include <utility>
#include <vector>

#include "sizes/box_sets.hpp"
#include "support/hash.hpp"
#include "tuner_db/winners/served_sizes.hpp"

namespace jitune::internal {

namespace {

/// The common part of rows that differ in nothing but the sizes that they serve.
struct Entry {
    KernelKey key;
    std::string configuration;
    bool unsure = false;
    std::size_t dimensions = 0;

    auto operator<=>(const Entry&) const = default;
};

void add_entry(Hasher& hasher, const Entry& entry, std::span<const SizeBox> boxes) {
    hasher.text(entry.key.kernel).text(entry.key.types).integer(entry.key.alignment);
    hasher.text(entry.key.template_hash).text(entry.key.device_class).text(entry.configuration);
    hasher.integer(entry.unsure ? 1 : 0).integer(std::ssize(boxes));
    for (const SizeBox& box : boxes) {
        hasher.integer(std::ssize(box.from));
        for (std::size_t i = 0; i < box.from.size(); ++i) {
            hasher.integer(box.from[i]).integer(box.to[i]);
        }
    }
}

}  // namespace

std::string table_digest(std::span<const Winner> winners) {
    std::map<Entry, std::vector<SizeBox>> table;
    for (const ServedSizes& row : served_sizes(winners)) {
        if (row.boxes.empty()) {
            continue;
        }
        Entry entry{row.winner->key.kernel_key(), row.winner->configuration,
                    row.winner->range.unsure, row.boxes.front().from.size()};
        std::vector<SizeBox>& served = table[std::move(entry)];
        served.insert(served.end(), row.boxes.begin(), row.boxes.end());
    }
    Hasher hasher("table");
    for (const auto& [entry, boxes] : table) {
        add_entry(hasher, entry, united(boxes));
    }
    return hex(hasher.digest());
}

}  // namespace jitune::internal
