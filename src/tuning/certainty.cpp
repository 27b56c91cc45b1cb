// SPDX-License-Identifier: Apache-2.0
#include "tuning/certainty.hpp"

#include "measure/conditions.hpp"

namespace jitune::internal {

bool is_scattered(double speed_up, const Certainty& certainty) {
    constexpr double kBeside = 1.02;  // medians lie beside the interval of a quiet machine, too
    const auto& [conditions, uncertainty, low, high] = certainty;
    return (high - low) / 2 > kScattered * speed_up ||
           (high > 0 && (speed_up * kBeside < low || speed_up > high * kBeside));
}

bool is_provisional(const Certainty& certainty) {
    return Conditions::parse(certainty.conditions).contended || certainty.uncertainty > kScattered;
}

bool is_disturbed(double speed_up, const Certainty& certainty) {
    return Conditions::parse(certainty.conditions).disturbed() ||
           certainty.uncertainty > kScattered || is_scattered(speed_up, certainty);
}

}  // namespace jitune::internal
