// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "worklist_results.hpp"

namespace jitune::bench {

/// Works off a measured work-list in some order, by the results of its tunings. Times within 3 % of
/// the default's count as equal to it.
class Replay {
public:
    explicit Replay(const Measured& measured);

    /// Starts anew.
    void clear();
    /// Tunes an item.
    void tune(std::size_t item, internal::Effort effort);

    /// The seconds of all tunings so far.
    [[nodiscard]] double spent_s() const { return spent_s_; }
    /// The seconds that all calls take with the answers that are there now: an item's own winner,
    /// else the nearest within an octave, else the default.
    [[nodiscard]] double calls_s() const;
    [[nodiscard]] bool has(std::size_t item, internal::Effort effort) const {
        return done_.contains({item, effort});
    }
    [[nodiscard]] const Measured& measured() const { return measured_; }

    /// Of the whole sweep, each item with its full budget.
    [[nodiscard]] double sweep_s() const { return sweep_s_; }
    /// The seconds that the whole sweep saves of the calls' time.
    [[nodiscard]] double recoverable_s() const { return recoverable_s_; }
    /// The time of all calls before anything is tuned.
    [[nodiscard]] double untuned_s() const { return untuned_s_; }

private:
    /// A winner of one item, as the answer to calls of another within an octave.
    struct Nearby {
        std::size_t item = 0;
        internal::Effort effort = internal::Effort::brief;
        double octaves = 0;
        double ns = 0;
    };
    [[nodiscard]] std::vector<Nearby> nearby(std::size_t item) const;
    [[nodiscard]] double call_ns(std::size_t item) const;

    const Measured& measured_;
    std::vector<std::vector<Nearby>> nearby_;  ///< by item, nearest first
    std::set<std::pair<std::size_t, internal::Effort>> done_;
    double spent_s_ = 0;
    double sweep_s_ = 0;
    double recoverable_s_ = 0;
    double untuned_s_ = 0;
};

/// Finds the sure winner of a tuning whose sizes are nearest to `sizes`; of several, the one that
/// was stored last. Returns it with its distance in octaves, or nullptr and infinity if the tuning
/// has no sure winner.
std::pair<const internal::Winner*, double> nearest_winner(const MeasuredTuning& tuning,
                                                          const internal::Sizes& sizes);

/// The next step of a replay; nothing: all is done.
using NextStep = std::function<std::optional<std::pair<std::size_t, internal::Effort>>(Replay&)>;

/// How much of the recoverable time is won within parts of the sweep's seconds.
struct Curve {
    std::vector<std::pair<double, double>> points;  ///< part of the seconds, part of the time

    [[nodiscard]] double won_at(double part) const;
    /// The part of the seconds after which `won` is reached for good; infinity: never.
    [[nodiscard]] double reached_at(double won) const;
};

Curve run(Replay& replay, const NextStep& next);

}  // namespace jitune::bench
