// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner_db/record.hpp"

namespace jitune::internal {

/// A time or a speed-up whose interval is wider than this part of it, on either side, is not known.
inline constexpr double kScattered = 0.1;

/// True where the interval of the speed-up over the default is known, and is so wide that the
/// estimate in it says nothing, or does not hold the estimate: the two were measured at different
/// moments.
bool is_scattered(double speed_up, const Certainty& certainty);

/// True where other processes had processors that the samples wanted, or where the time of the
/// winner is not known: it is to be tuned again on a quiet machine.
bool is_provisional(const Certainty& certainty);

/// True where clocks or other processes disturbed the timing, or the time or the speed-up is
/// scattered.
bool is_disturbed(double speed_up, const Certainty& certainty);

}  // namespace jitune::internal
