// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/pin.hpp"

#include "measure/conditions.hpp"

namespace jitune::internal {

std::string objective_of(const Winner& winner) {
    return Conditions::parse(winner.certainty.conditions).objective;
}

std::string chosen_by_text(const Winner& winner) {
    const std::string objective = objective_of(winner);
    return objective.empty() ? "" : ", chosen by " + objective;
}

}  // namespace jitune::internal
