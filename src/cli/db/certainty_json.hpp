// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/formats/json.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// How sure a winner's time and speed-up are: "speed_up_low", "speed_up_high", "uncertainty",
/// "conditions" and "provisional".
Json certainty_json(const Certainty& certainty);

}  // namespace jitune::internal
