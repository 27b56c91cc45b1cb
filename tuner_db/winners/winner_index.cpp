// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/winner_index.hpp"

#include <algorithm>

#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

WinnerIndex::WinnerIndex(std::span<const Winner> winners) {
    for (std::size_t place = 0; place < winners.size(); ++place) {
        if (const auto boxes = boxes_of(winners[place])) {
            Group& group = groups_[{winners[place].key, boxes->front().from.size()}];
            group.boxes.insert(group.boxes.end(), boxes->begin(), boxes->end());
            group.winners.resize(group.boxes.size(), place);
        }
    }
    for (auto& [name, group] : groups_) {
        group.index = std::make_unique<const BoxIndex>(group.boxes);
    }
}

std::vector<std::size_t> WinnerIndex::serving(const RecordKey& key,
                                              std::span<const std::int64_t> sizes) const {
    const auto group = groups_.find({key, sizes.size()});
    if (group == groups_.end()) {
        return {};
    }
    std::vector<std::size_t> places;
    for (const std::size_t box : group->second.index->holding(sizes)) {
        places.push_back(group->second.winners[box]);
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

}  // namespace jitune::internal
