// SPDX-License-Identifier: Apache-2.0
#include "report/map_lanes.hpp"
#include "tuner_db/winners/trust.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "sizes/box_sets.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

double octaves_in(const std::vector<SizeBox>& boxes) {
    double sum = 0;
    for (const SizeBox& box : boxes) {
        double product = 1;
        for (std::size_t i = 0; i < box.from.size(); ++i) {
            product *= std::log2(static_cast<double>(box.to[i]) + 1) -
                       std::log2(static_cast<double>(box.from[i]));
        }
        sum += product;
    }
    return sum;
}

}  // namespace

std::vector<MapLane> map_lanes(const Coverage& coverage) {
    std::map<std::string, MapLane> by_configuration;
    for (const auto* const rows : {&coverage.winners, &coverage.unsure}) {
        for (const Winner* const winner : *rows) {
            const auto boxes = boxes_of(*winner);
            if (!boxes || boxes->empty()) {
                continue;
            }
            MapLane& lane = by_configuration[winner->configuration];
            lane.configuration = winner->configuration;
            lane.winners.push_back(winner);
            auto& sizes = may_serve(trust_of(*winner)) ? lane.sure : lane.unsure;
            sizes.insert(sizes.end(), boxes->begin(), boxes->end());
        }
    }
    std::vector<std::pair<double, MapLane>> ranked;
    for (auto& [configuration, lane] : by_configuration) {
        lane.sure = united(lane.sure);
        lane.unsure = united(lane.unsure);
        ranked.emplace_back(octaves_in(lane.sure) + octaves_in(lane.unsure), std::move(lane));
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& left, const auto& right) { return left.first > right.first; });
    std::vector<MapLane> lanes;
    for (auto& [octaves, lane] : ranked) {
        lanes.push_back(std::move(lane));
    }
    return lanes;
}

}  // namespace jitune::internal
