// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The result of a race of a winner in doubt. The winners of the race are stored already.
struct RaceReport {
    enum class Outcome {
        confirmed,  ///< no racer is faster, and the winner takes about what was stored
        replaced,   ///< another one is faster
        slower,     ///< no racer is as fast as the stored time: a new tuning may find a better one
        gone,       ///< the winner is not stored any more
    };
    Outcome outcome = Outcome::gone;
    double median_ns = 0;         ///< of the fastest, at the stored winner's sizes; 0: none
    std::string configuration;    ///< of the fastest
    std::vector<Winner> winners;  ///< with their images
};

/// "confirmed", "replaced", "slower", "gone".
const char* to_string(RaceReport::Outcome outcome);

/// A configuration beside a winner.
struct Rival {
    double ratio;  ///< its time over the winner's: the least of all sizes where both were timed
    std::string configuration;
};

/// The configurations that were timed at the same sizes as the winner, on its model of device; the
/// fastest first. A configuration that has ever failed is left out. `measurements`: oldest first.
std::vector<Rival> rivals(std::span<const Measurement> measurements, const Winner& winner);

/// The first of the rivals that is not `standard`, the template's default; nothing if there is
/// none.
std::optional<std::string> runner_up(std::span<const Measurement> measurements,
                                     const Winner& winner, const std::string& standard);

/// The racer that wins: `standing` unless another racer is clearly faster, compared round by round.
/// If `standing` was not timed, the fastest; if no racer was timed, nothing.
std::optional<std::string> race_winner(std::span<const Measurement> racers,
                                       const std::string& standing);

/// True if a time agrees with the stored time of a winner.
bool is_as_stored(double median_ns, const Winner& stored);

}  // namespace jitune::internal
