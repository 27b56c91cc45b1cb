// SPDX-License-Identifier: Apache-2.0
#include "sweep/worklist.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "range/size_grid.hpp"

namespace jitune::internal {

namespace {

/// What winners tell of a kernel on a class of devices.
class Experience {
public:
    void add(const Winner& winner) {
        const auto boxes = parse_coverage(winner.sizes);
        if (winner.default_median_ns <= 0 || !boxes || boxes->size() != 1) {
            return;
        }
        const double elements = elements_of(boxes->front().from);
        shortest_ns_ = std::min(shortest_ns_, winner.default_median_ns);
        element_ns_ = std::min(element_ns_, winner.default_median_ns / elements);
        log_gain_ += std::log(winner.default_median_ns / winner.median_ns);
        winners_ += 1;
    }

    [[nodiscard]] double call_ns(const Sizes& sizes) const {
        constexpr double kShortest = 2000;
        constexpr double kElement = 0.01;
        const double elements = elements_of(sizes);
        return winners_ > 0 ? std::max(shortest_ns_, elements * element_ns_)
                            : std::max(kShortest, elements * kElement);
    }

    /// The part of a call's time that a winner saves. A few winners say little, so that it begins
    /// with four of 1.2, which is about what winners gain over defaults.
    [[nodiscard]] double share() const {
        constexpr double kAssumed = 4;
        const double log_gain =
            (log_gain_ + kAssumed * std::log(1.2)) / (static_cast<double>(winners_) + kAssumed);
        return std::max(0.0, 1 - std::exp(-log_gain));
    }

private:
    double shortest_ns_ = std::numeric_limits<double>::infinity();
    double element_ns_ = std::numeric_limits<double>::infinity();
    double log_gain_ = 0;
    int winners_ = 0;
};

std::string name_of(const RecordKey& key) {
    return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", key.kernel, key.types, key.bucket, key.alignment,
                       key.template_hash, key.device_class);
}

}  // namespace

std::int64_t WorkItem::calls() const {
    double sum = 0;  // of numbers that may be as large as any
    for (const Miss& miss : misses) {
        sum += static_cast<double>(miss.calls);
    }
    constexpr double kMost = 9e18;
    return static_cast<std::int64_t>(std::min(sum, kMost));
}

std::vector<WorkItem> worklist(std::vector<Miss> misses, std::span<const Winner> winners) {
    std::map<std::pair<std::string, std::string>, Experience> known;  // by kernel and device class
    for (const Winner& winner : winners) {
        known[{winner.key.kernel, winner.key.device_class}].add(winner);
    }
    std::stable_sort(misses.begin(), misses.end(),
                     [](const Miss& a, const Miss& b) { return a.calls > b.calls; });
    std::vector<WorkItem> items;
    std::map<std::string, std::size_t> places;  // in items, by key
    for (Miss& miss : misses) {
        const auto sizes = miss.problem_sizes();
        if (!sizes) {
            continue;
        }
        const Experience& experience = known[{miss.key.kernel, miss.key.device_class}];
        const double call_ns = experience.call_ns(*sizes);
        const auto [place, is_new] = places.try_emplace(name_of(miss.key), items.size());
        if (is_new) {
            items.push_back({{}, call_ns, 0});
        }
        WorkItem& item = items[place->second];
        item.saved_s += static_cast<double>(miss.calls) * call_ns * 1e-9 * experience.share();
        item.misses.push_back(std::move(miss));
    }
    std::stable_sort(items.begin(), items.end(),
                     [](const WorkItem& a, const WorkItem& b) { return a.saved_s > b.saved_s; });
    return items;
}

}  // namespace jitune::internal
