// SPDX-License-Identifier: Apache-2.0
#include "sweep/worklist.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sweep/work_order.hpp"
#include "tuner_db/winners/certainty.hpp"
#include "tuner_db/winners/winner_index.hpp"

namespace jitune::internal {

namespace {

bool is_provisional_winner(const Winner& winner) {
    return !ends_search(winner) && !winner.range.unsure;
}

std::string name_of(const RecordKey& key) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", key.kernel, key.types, key.bucket, key.alignment,
                       key.template_hash, key.device_class);
}

}  // namespace

std::int64_t WorkItem::calls() const {
    double sum = 0;  // of numbers that may be as large as any
    for (const CallRecord& miss : misses) {
        sum += static_cast<double>(miss.calls);
    }
    constexpr double kMost = 9e18;
    return static_cast<std::int64_t>(std::min(sum, kMost));
}

std::vector<WorkItem> worklist(std::vector<CallRecord> misses, std::span<const Winner> winners) {
    std::stable_sort(misses.begin(), misses.end(),
                     [](const CallRecord& a, const CallRecord& b) { return a.calls > b.calls; });
    std::vector<WorkItem> items;
    std::map<std::string, std::size_t> places;  // in items, by key
    for (CallRecord& miss : misses) {
        if (!miss.problem_sizes()) {
            continue;
        }
        const auto [place, is_new] = places.try_emplace(name_of(miss.key), items.size());
        if (is_new) {
            items.emplace_back();
        }
        items[place->second].misses.push_back(std::move(miss));
    }
    const WinnerIndex index(winners);
    for (WorkItem& item : items) {
        const CallRecord& first = item.misses.front();
        const auto serving = index.serving(first.key, first.problem_sizes().value());
        item.is_provisional = std::any_of(serving.begin(), serving.end(), [&](std::size_t place) {
            return is_provisional_winner(winners[place]);
        });
    }
    const WorkOrder order(std::move(items), winners);
    std::vector<WorkItem> sorted;
    for (const WorkStep& step : order.steps()) {
        WorkItem& item = sorted.emplace_back(order.items()[step.item]);
        item.call_ns = order.call_ns(step.item);
        item.saved_s = step.saved_s;
        item.tune_s = step.tune_s;
    }
    return sorted;
}

std::int64_t unserved(std::span<const WorkItem> items) {
    return std::count_if(items.begin(), items.end(),
                         [](const WorkItem& item) { return !item.is_provisional; });
}

}  // namespace jitune::internal
