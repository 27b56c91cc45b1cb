// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// How far a winner is trusted, the least first. trust_of() alone decides it, from the row. Which
/// of two rows serves, whether calls may use one and whether its sizes are tuned again are
/// questions about this order. docs/explanation/winners.md tells the life of a winner.
enum class Trust {
    refuted,      ///< a measurement says that its results are wrong: the row counts as missing
    no_code,      ///< a merge brought it without code: compiled and raced before it may serve
    unsure,       ///< the bound that was asked for is not reached: the next search begins there
    provisional,  ///< serves; its sizes are tuned again on a quiet machine
    kept,         ///< serves; provisional after kTries tunings: the machine is never quiet
    scattered,    ///< serves; its speed-up over the default is an interval rather than a number
    sure,         ///< serves
    pinned,       ///< serves, and no tuning replaces it: a person or an objective chose it
};

/// After so many tunings in a row with a provisional winner the last one is kept.
inline constexpr std::size_t kTries = 2;

Trust trust_of(const Winner& winner);

/// Whether calls may use the row if may_be_slower() does not forbid it.
constexpr bool may_serve(Trust trust) {
    return trust >= Trust::provisional;
}

/// Whether its sizes are to be tuned again.
constexpr bool is_to_be_tuned(Trust trust) {
    return trust <= Trust::provisional;
}

/// A time or a speed-up whose interval is wider than this part of it, on either side, is not known.
inline constexpr double kScattered = 0.1;

/// True if the interval of the speed-up over the default is known, and is so wide that the estimate
/// in it says nothing, or does not hold the estimate: the two were measured at different moments.
bool is_scattered(double speed_up, const Certainty& certainty);

/// Why a winner is to be tuned again on a quiet machine, as a sentence: other processes had
/// processors that its samples wanted, its time or its speed-up over the default is not known, or
/// it is the default, which hardly another configuration was compared with. Empty: it is not.
std::string_view why_provisional(const Certainty& certainty);

inline bool is_provisional(const Certainty& certainty) {
    return !why_provisional(certainty).empty();
}

/// How many tunings in a row have ended with a provisional winner, this one with them.
std::size_t tries_of(const Certainty& certainty);

/// Adds a try to the `earlier` ones, and notes the sum if the winner is provisional.
void count_try(Certainty& certainty, std::size_t earlier);

/// True if clocks or other processes disturbed the timing, if the time or the speed-up is
/// scattered, and for provisional winners: tables mark the figure.
bool is_disturbed(double speed_up, const Certainty& certainty);

/// The default's time over the winner's by the pessimistic end of the interval. If times of the
/// winner contradict each other, the end is lower by that.
double pessimistic_speed_up(const Certainty& certainty);

/// True for a winner that may be slower than the template's default, if it is not the default
/// itself: the default is to serve. A provisional one is to be faster by pessimistic_speed_up(),
/// another one to be as fast as noise lets one see. Of a sure range, which was compared at many
/// sizes, the middle of the interval counts, because the interval is of one of these sizes and of
/// few samples. False if the default failed, if no interval is known, and for a winner that is
/// pinned or by default.
bool may_be_slower(const Winner& winner);

/// Whether it may answer at sizes that it does not serve: it has code, is not slower, and is more
/// than the default.
bool may_answer_elsewhere(const Winner& winner);

/// Whether `fresh` leaves the `older` winner its sizes:
/// 1. if the older one is pinned;
/// 2. else not, if the fresh one is to be pinned, if the older one does not serve, or if the two
/// are
///    not of the same model of device, driver and compiler;
/// 3. else, if the fresh one does not serve;
/// 4. else, if the older one is complete and not provisional, and the fresh one is provisional, or
///    is the same again from a search that was cut short.
bool yields(const Winner& fresh, const Winner& older);

/// "energy", the objective that chose a pinned winner; empty: its time, or a person.
std::string objective_of(const Winner& winner);

/// ", chosen by energy", to follow a word that says that the winner is pinned; empty without an
/// objective.
std::string chosen_by_text(const Winner& winner);

}  // namespace jitune::internal
