// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/report_data.hpp"
#include "sizes/size_box.hpp"
#include "tuner_db/winners/coverage.hpp"

namespace jitune::internal {

/// A configuration in the map of a key, and the sizes that winners with it serve.
struct MapLane {
    std::string configuration;
    std::vector<const Winner*> winners;  ///< at least one
    std::vector<SizeBox> sure;           ///< united
    std::vector<SizeBox> unsure;         ///< of winners whose bound is not reached

    [[nodiscard]] bool serves(const Sizes& sizes) const {
        return covers(sure, sizes) || covers(unsure, sizes);
    }
};

/// The configurations of a coverage's winners, those first that serve most octaves. A winner with
/// malformed sizes is in none.
std::vector<MapLane> map_lanes(const Coverage& coverage);

/// Which configuration serves which sizes. Problems of one size have lanes over a line of sizes,
/// those of two have rectangles over a plane, those of more have lanes over the product of the
/// sizes.
std::string map_picture(const SizeMap& map, const std::vector<MapLane>& lanes);

}  // namespace jitune::internal
