// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The numbers of the processors that this process may use; none if the system does not say.
std::vector<int> usable_processors();

/// Reads the scheduler's counters of all threads of this process that are alive, and returns their
/// sum. Linux updates the counter of a running thread once in a tick of some milliseconds. Returns
/// nothing if the system has no such counters. Takes some microseconds for each thread.
std::optional<ProcessorUse> processor_use();

/// The share of the usable processors' time that other processes take, in the 100 ms that it waits;
/// from 0 to 1. Nothing if the system does not say.
std::optional<double> processors_taken();

}  // namespace jitune::internal
