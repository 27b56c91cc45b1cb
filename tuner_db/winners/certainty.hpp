// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// A time or a speed-up whose interval is wider than this part of it, on either side, is not known.
inline constexpr double kScattered = 0.1;

/// After so many tunings in a row with a provisional winner the last one is kept: the machine is
/// never quiet.
inline constexpr std::size_t kTries = 2;

/// True where the interval of the speed-up over the default is known, and is so wide that the
/// estimate in it says nothing, or does not hold the estimate: the two were measured at different
/// moments.
bool is_scattered(double speed_up, const Certainty& certainty);

/// Why a winner is to be tuned again on a quiet machine, as a sentence: other processes had
/// processors that its samples wanted, its time or its speed-up over the default is not known, or
/// it is the default, which hardly another configuration was compared with. Empty: it is not.
std::string_view why_provisional(const Certainty& certainty);

inline bool is_provisional(const Certainty& certainty) {
    return !why_provisional(certainty).empty();
}

/// True for a provisional winner of fewer than kTries tunings.
bool deserves_another_try(const Certainty& certainty);

/// False for a winner after which its problems are to be tuned again: an unsure one, or one that
/// deserves another try.
bool ends_search(const Winner& winner);

/// How many tunings in a row have ended with a provisional winner, this one with them.
std::size_t tries_of(const Certainty& certainty);

/// Adds a try to the `earlier` ones, and notes the sum if the winner is provisional.
void count_try(Certainty& certainty, std::size_t earlier);

/// True where clocks or other processes disturbed the timing, where the time or the speed-up is
/// scattered, and for provisional winners.
bool is_disturbed(double speed_up, const Certainty& certainty);

/// The default's time over the winner's by the pessimistic end of the interval. Where times of the
/// winner contradict each other, the end is lower by that.
double pessimistic_speed_up(const Certainty& certainty);

/// True for a winner that may be slower than the template's default, if it is not the default
/// itself: the default is to serve. A provisional one is to be faster by pessimistic_speed_up(),
/// another one to be as fast as noise lets one see. Of a sure range, which was compared at many
/// sizes, the middle of the interval counts, since it is of one of these sizes and of few samples.
/// False where the default failed, where no interval is known, and for a pinned one.
bool may_be_slower(const Winner& winner);

/// Whether it may answer at sizes that it does not serve: it has code, and is not slower.
bool may_answer_elsewhere(const Winner& winner);

/// Whether `fresh` leaves the `older` winner its sizes. Either the older one is pinned; or the
/// fresh one will not be pinned, both are of the same model of device, driver and compiler, and
/// either the fresh one alone is unsure, or the older one is complete and not provisional, and the
/// fresh one is provisional, or the same again from a search that was cut short.
bool yields(const Winner& fresh, const Winner& older);

}  // namespace jitune::internal
