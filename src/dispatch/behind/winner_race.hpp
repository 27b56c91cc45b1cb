// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// What a race of a winner in doubt has shown. Its winners are in the store then.
struct RaceReport {
    enum class Outcome {
        confirmed,  ///< no racer is faster, and the winner takes about what was stored
        replaced,   ///< another one is faster
        slower,     ///< none takes as little as was stored, so that a new tuning may find better
        gone,       ///< the winner is not stored any more
    };
    Outcome outcome = Outcome::gone;
    double median_ns = 0;         ///< at the sizes of the stored winner, of the fastest; 0: none
    std::string configuration;    ///< the same
    std::vector<Winner> winners;  ///< with their images
};

/// "confirmed", "replaced", "slower", "gone".
const char* to_string(RaceReport::Outcome outcome);

/// A configuration beside a winner.
struct Rival {
    double ratio;  ///< its time over the winner's: the least at any sizes where both were timed
    std::string configuration;
};

/// The configurations that were timed at sizes where the winner was, too, on its model of device;
/// the fastest first. A configuration that has ever failed is left out. `measurements`: oldest
/// first.
std::vector<Rival> rivals(std::span<const Measurement> measurements, const Winner& winner);

/// The first of the rivals that is not `standard`, the template's default; nothing where there is
/// none.
std::optional<std::string> runner_up(std::span<const Measurement> measurements,
                                     const Winner& winner, const std::string& standard);

/// The racer that wins: `standing` unless another one is clearly faster, round by round; the
/// fastest where `standing` was not timed; nothing where none was.
std::optional<std::string> race_winner(std::span<const Measurement> racers,
                                       const std::string& standing);

/// Whether a time is about what a stored winner was said to take.
bool is_as_stored(double median_ns, const Winner& stored);

}  // namespace jitune::internal
