// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/map_lanes.hpp"
#include "report/report_data.hpp"

namespace jitune::internal {

/// Which configuration serves which sizes. Of one size, lanes over a line of sizes; of two,
/// rectangles over the plane; of more, lanes over the product of the sizes.
std::string map_picture(const SizeMap& map, const std::vector<MapLane>& lanes);

}  // namespace jitune::internal
