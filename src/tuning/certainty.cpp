// SPDX-License-Identifier: Apache-2.0
#include "tuning/certainty.hpp"

#include "measure/conditions.hpp"

namespace jitune::internal {

bool is_scattered(double speed_up, const Certainty& certainty) {
    return (certainty.speed_up_high - certainty.speed_up_low) / 2 > kScattered * speed_up;
}

bool is_disturbed(double speed_up, const Certainty& certainty) {
    return Conditions::parse(certainty.conditions).disturbed() ||
           certainty.uncertainty > kScattered || is_scattered(speed_up, certainty);
}

}  // namespace jitune::internal
