// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <variant>

#include "backend/device.hpp"
#include "support/time_source.hpp"
#include "tuning/measure/rig.hpp"

namespace jitune::internal {

/// Computes the power between two moves of an energy counter, which moves now and then.
class EnergyTrace {
public:
    using Time = TimeSource::Clock::time_point;

    /// The trace begins with the first move at `earliest` or later, and ends with the first move at
    /// least `length` after that.
    EnergyTrace(Time earliest, std::chrono::nanoseconds length)
        : earliest_(earliest), length_(length) {}

    /// Adds a reading. Call it in the order of the times.
    void add(Time time, double energy_j);

    /// Watts, once the trace has ended.
    [[nodiscard]] std::optional<double> power_w() const { return power_w_; }
    /// How long the counter had not moved when it was last read.
    [[nodiscard]] std::chrono::nanoseconds still() const;

private:
    struct Reading {
        Time time;
        double energy_j = 0;
    };
    Time earliest_;
    std::chrono::nanoseconds length_;
    std::optional<Reading> moved_;  // last
    std::optional<Reading> begin_;
    Time read_;
    std::optional<double> power_w_;
};

/// What one launch used, averaged over a window of launches back to back.
struct EnergyWindow {
    double energy_j = 0;
    double launch_ns = 0;
};

/// Measures the energy of launches by the device's counter.
///
/// The counter moves some ten times a second, and on some devices its sensor looks at a quarter of
/// the time only (Yang, Adamek and Armour, "Part-time power measurements: nvidia-smi's lack of
/// attention", SC 2024). So launches run without a pause from one move of the counter to another,
/// seconds apart: the launches that the sensor misses are like those that it sees. A thread of its
/// own reads the counter, which takes as long as some launches. Used by one thread, that of the
/// timers.
class EnergyMeter {
public:
    /// Throws Error(unavailable) if the device has no counter that can be read.
    explicit EnergyMeter(Device& device, const TimeSource& time = kMachineTime);

    /// Runs `timer`, of `launches` launches each time, for `warm_up`, after which clocks and power
    /// are steady, then for `length` and until the counter moves. Throws Error(unavailable) if
    /// the counter stands still or cannot be read any more.
    std::variant<EnergyWindow, TrialFailure> window(Timer& timer, std::size_t launches,
                                                    std::chrono::nanoseconds warm_up,
                                                    std::chrono::nanoseconds length);

private:
    double read();

    Device& device_;
    const TimeSource& time_;
};

}  // namespace jitune::internal
