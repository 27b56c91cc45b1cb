// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner_db/winners/record.hpp"

/// Which of several winners serves where their sizes overlap. Winners of one machine never have,
/// because each tuning takes its sizes away from older rows; winners of merged databases may have.
namespace jitune::internal {

/// 32 hexadecimal digits that name a winner for as long as it is stored: over its key, where and
/// when it was tuned, and its configuration; not over the sizes that it still serves.
std::string winner_id(const Winner& winner);

/// 32 hexadecimal digits over all of a row but `covers` and the bytes of the image: rows of equal
/// content are the same winner, and may serve different sizes.
std::string winner_content(const Winner& winner);

/// Of WinnerRange::loss_bound, which is 0 or at least 1.
inline constexpr double kMostLossBound = 1000;

/// Makes the row one without code, which is unsure. Its bound becomes kMostLossBound if it was
/// unsure before.
void strip_code(Winner& winner);

/// Whether a row without code was sure before strip_code().
bool was_sure(const Winner& winner);

// Both orders are strict total orders of contents, and begin with the order of Trust, in which
// provisional, kept and scattered winners are equal: their figures are of one kind.

/// The order of the rows of one place. The first one keeps the sizes of both: the more trusted,
/// then the younger.
bool supersedes(const Winner& one, const Winner& other);

/// The order in which rows of several places serve: the more trusted, then the one that is faster
/// over the template's default by more than 2 % at the low ends of the 99 % intervals, counted in
/// steps, then the younger.
bool serves_before(const Winner& one, const Winner& other);

/// Why `first` serves before `second`, for a person: "at least 1.48 times the default's speed, the
/// other 1.27".
std::string precedence_reason(const Winner& first, const Winner& second);

/// Whether the intervals of both speed-ups over the default are known and have nothing in common,
/// though both were tuned at the same sizes on the same class of devices.
bool disagree(const Winner& one, const Winner& other);

}  // namespace jitune::internal
