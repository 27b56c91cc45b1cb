// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/report_data.hpp"
#include "tuner_db/size_box.hpp"

namespace jitune::internal {

/// A winner in the map of its key, and the sizes that it serves.
struct MapLane {
    const Winner* winner = nullptr;
    std::vector<SizeBox> boxes;
};

/// Of a coverage's winners, sure or not, at most `most`: those that serve most octaves, ordered by
/// their least sizes.
std::vector<MapLane> map_lanes(const Coverage& coverage, std::size_t most);

/// Which winner serves which sizes. Of one size, lanes over a line of sizes; of two, rectangles
/// over the plane; of more, lanes over the product of the sizes.
std::string map_picture(const SizeMap& map, const std::vector<MapLane>& lanes);

}  // namespace jitune::internal
