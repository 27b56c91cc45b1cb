// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backend/device.hpp"

namespace jitune::internal {

/// Properties of this machine, as the system reports them.
struct HostFacts {
    std::string cpuinfo;           ///< the text of /proc/cpuinfo
    std::int64_t cores = 1;        ///< that this process may use
    std::int64_t cache_bytes = 0;  ///< the last-level data cache
    std::string kernel_release;
};

/// Asks the system. A property that it does not report gets a sane default.
HostFacts this_host();

/// What the user is to know of facts that the system does not tell, as a sentence; empty: nothing.
std::string missing_facts(const HostFacts& facts);

/// The device that the facts describe. Attributes: cores, cache_bytes, simd_bytes. The device class
/// holds all that native code depends on: it must never be loaded on a CPU of another class.
DeviceInfo describe_host(const HostFacts& facts);

/// The attributes of a device of such a class. Nothing if the text is no such class.
std::optional<DeviceInfo> host_of_class(const std::string& device_class);

/// The numbers of the processors that this process may use; none if the system does not say.
std::vector<int> usable_processors();

/// Reads the scheduler's counters of all threads of this process that are alive, and returns their
/// sum. Linux updates the counter of a running thread once in a tick of some milliseconds. Returns
/// nothing if the system has no such counters. Takes some microseconds for each thread.
std::optional<ProcessorUse> processor_use();

/// The share of the usable processors' time that other processes take, in the 100 ms that it waits;
/// from 0 to 1. Nothing if the system does not say.
std::optional<double> processors_taken();

/// How slow the calling thread's processor is: the time of a loop of fixed length over the least
/// that it has taken within the last minute, from 1 on. Work on the other hardware thread of a
/// core, also of another virtual machine, and lowered clocks make it longer; no counter of the
/// system tells of either. A processor that stays slow counts as fast after a minute: it is what
/// there is. Takes about 10 us, at first 0.3 ms. Thread-safe.
double processor_slowdown();

/// The least of some times within the last one to two periods. For one thread at a time.
class RecentLeast {
public:
    using Clock = std::chrono::steady_clock;

    explicit RecentLeast(Clock::duration period) : period_(period) {}

    /// Adds a time that was taken `now`, and returns the least with it.
    double add(double time, Clock::time_point now);

private:
    const Clock::duration period_;
    Clock::time_point begin_{};  ///< of the period under way
    double here_ = 0;            ///< the least in it; 0: none
    double before_ = 0;          ///< in the one before
};

}  // namespace jitune::internal
