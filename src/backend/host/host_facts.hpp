// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace jitune::internal
