// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/formats/json.hpp"

namespace jitune::internal {

/// Measurement::figures as an object of numbers; as a text where a database holds something else.
Json figures_json(const std::string& figures);

/// "energy_j=0.0125 power_w=350.5"; the text itself where it is something else.
std::string figures_text(const std::string& figures);

}  // namespace jitune::internal
