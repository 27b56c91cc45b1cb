// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "tuner_db/exploration.hpp"

namespace jitune::internal {

/// The tries inside calls as a table for people, with the sum of their cost; "" where there are
/// none.
std::string explorations_text(std::span<const Exploration> explorations, std::size_t width);

}  // namespace jitune::internal
