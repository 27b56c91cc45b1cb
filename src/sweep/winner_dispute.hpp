// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// Whether two tasks have chosen different configurations for the same sizes on the same class of
/// devices, and the intervals of their speed-ups have no value in common: one of the machines was
/// disturbed, or they are not alike. Winners without intervals dispute nothing.
bool is_disputed(const Winner& one, const Winner& other);

/// Whether any of the winners of one task disputes one of another.
bool is_disputed(std::span<const Winner> ones, std::span<const Winner> others);

}  // namespace jitune::internal
