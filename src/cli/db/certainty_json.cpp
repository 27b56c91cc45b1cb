// SPDX-License-Identifier: Apache-2.0
#include "cli/db/certainty_json.hpp"

#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {

Json certainty_json(const Certainty& certainty) {
    return {{"speed_up_low", certainty.speed_up_low},
            {"speed_up_high", certainty.speed_up_high},
            {"uncertainty", certainty.uncertainty},
            {"conditions", certainty.conditions},
            {"provisional", is_provisional(certainty)}};
}

}  // namespace jitune::internal
