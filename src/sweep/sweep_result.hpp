// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuning/tuner.hpp"

namespace jitune::internal {

/// The outcome of one problem of a sweep on one device class.
struct SweepRow {
    std::size_t problem = 0;  ///< its place among the problems of the sweep
    std::string device;       ///< "cuda:1"
    /// Skipped: its winner was complete before, or is pinned. Not started: the device, its memory
    /// or its compiler was missing. Handed back: a task of a plan was stopped in it, and another
    /// one goes on.
    enum class Outcome { tuned, skipped, handed_back, not_started, failed };
    Outcome outcome = Outcome::tuned;
    std::string note;     ///< why it was not tuned
    bool stored = false;  ///< the tuned winner is in the store

    double bytes = 0;  ///< as SweepProblem::bytes; 0: not known
    std::string configuration;
    // The winner's time at the problem's own sizes. 0: not known, for example because the winner
    // was tuned at other sizes.
    double median_ns = 0;
    double noise = 0;
    double default_median_ns = 0;
    /// At the same sizes, the time of what answered before: the incumbent, else the default. 0: not
    /// known.
    double before_ns = 0;
    Certainty certainty;
    bool complete = false;  ///< the strategy has proposed all that it would
    TuneProgress tune;
    std::vector<KernelTemplate::Metric> metrics;  ///< of the winner
    /// Of a problem with a domain: the winners that serve it, without their images; the members
    /// above of a single winner are not used. Of one that was tuned with the sizes around it: all
    /// winners found.
    std::vector<Winner> ranges;

    /// A winner at the problem's own sizes.
    [[nodiscard]] bool has_winner() const {
        return !configuration.empty() && (outcome == Outcome::tuned || outcome == Outcome::skipped);
    }
    void set_winner(const Task& task, const Winner& winner);
    /// Also says what was gained. A winner that was kept has its time from the finals here.
    void set_tuned(const Task& task, const TuneReport& report);
    [[nodiscard]] double gb_per_s() const { return bytes / median_ns; }
    [[nodiscard]] double speed_up() const { return default_median_ns / median_ns; }
    [[nodiscard]] bool has_time() const { return median_ns > 0; }
    [[nodiscard]] bool is_disturbed() const;
};

/// The facts of a sweep that are known before it begins.
struct SweepDescription {
    std::string device;       ///< "cuda:0", of several "cuda:0, cuda:1"
    std::string device_name;  ///< of each model once
    std::string compiler;
    std::string strategy;
    std::uint64_t seed = 0;
    double budget_s = 0;
    std::string database;  ///< empty: nothing is stored
    /// Of all device classes together; several tunings of one, as of a work-list, count once.
    std::size_t problems = 0;
};

/// A range that was stopped before it had winners.
struct StoppedRange {
    std::string name;    ///< "float32 sum 2^10..2^20"
    std::string device;  ///< "cuda:1"
    TuneProgress tune;   ///< the last one
};

/// All of a sweep.
struct SweepResult : SweepDescription {
    double seconds = 0;
    std::size_t begun = 0;  ///< of the `problems`
    bool interrupted = false;
    std::int64_t store_errors = 0;
    std::vector<SweepRow> rows;  ///< in the order of the problems; of each tuning that was begun
    std::vector<StoppedRange> stopped;  ///< those that were begun, too, and have no row

    [[nodiscard]] std::size_t count(SweepRow::Outcome outcome) const;
    /// How many winners were tuned and are in the store.
    [[nodiscard]] std::size_t stored() const;
};

}  // namespace jitune::internal
