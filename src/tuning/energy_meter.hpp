// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>

#include "backend/device.hpp"
#include "tuning/rig.hpp"

namespace jitune::internal {

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
/// seconds apart: what the sensor does not see is like what it sees. Used by the bench's thread.
class EnergyMeter {
public:
    using Clock = std::chrono::steady_clock;

    /// Throws Error(unavailable) where the device, `name`, has no counter that can be read.
    EnergyMeter(Bench& bench, std::string name);

    /// Runs `timer`, of `launches` launches each time, for `warm_up` until clocks and power are
    /// where they stay, then for `length` and until the counter moves. Throws Error(unavailable)
    /// where the counter stands still.
    std::variant<EnergyWindow, TrialFailure> window(Timer& timer, std::size_t launches,
                                                    Clock::duration warm_up,
                                                    Clock::duration length);

private:
    struct Edge {
        Clock::time_point time;
        double energy_j = 0;
        std::size_t samples = 0;
    };
    double read();
    /// Runs the timer until the counter moves, but not before `earliest`.
    std::variant<Edge, TrialFailure> next_edge(Timer& timer, Clock::time_point earliest);

    Bench& bench_;
    std::string name_;
    std::size_t samples_ = 0;
};

}  // namespace jitune::internal
