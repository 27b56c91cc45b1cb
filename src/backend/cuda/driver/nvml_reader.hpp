// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backend/device.hpp"
#include "support/log.hpp"

namespace jitune::internal {

// The few names of nvml.h that are used, so that the header is not needed to build.
using NvmlDevice = struct NvmlDeviceHandle*;
inline constexpr int kNvmlSuccess = 0;
inline constexpr int kNvmlClockSm = 1;
inline constexpr unsigned long long kNvmlSwPowerCap = 0x04;
inline constexpr unsigned long long kNvmlHwSlowdown = 0x08;
inline constexpr unsigned long long kNvmlSwThermalSlowdown = 0x20;
inline constexpr unsigned long long kNvmlHwThermalSlowdown = 0x40;
inline constexpr unsigned long long kNvmlHwPowerBrake = 0x80;

/// Percent of the last sample period, of 1/6 to 1 s.
struct NvmlUtilization {
    unsigned gpu = 0;  ///< during which a kernel ran
    unsigned memory = 0;
};

/// NVML, as functions. Tests put others in their place. Each answers an nvmlReturn_t.
struct NvmlTable {
    int (*init)() = nullptr;
    int (*device_by_uuid)(const char* uuid, NvmlDevice* device) = nullptr;
    int (*clock_mhz)(NvmlDevice device, int domain, unsigned* mhz) = nullptr;
    int (*throttle_reasons)(NvmlDevice device, unsigned long long* reasons) = nullptr;
    int (*utilization)(NvmlDevice device, NvmlUtilization* rates) = nullptr;
    /// Millijoules since the driver was loaded. Volta and newer.
    int (*energy)(NvmlDevice device, unsigned long long* millijoules) = nullptr;
};

/// Loads NVML, which comes with the driver, for the life of the process. Throws Error(unavailable).
std::shared_ptr<const NvmlTable> load_nvml();

/// Reads one device's clocks, its use and its energy through NVML, which is loaded when first
/// asked. Thread-safe.
class NvmlReader {
public:
    using Loader = std::function<std::shared_ptr<const NvmlTable>()>;
    /// `uuid`: "GPU-…".
    NvmlReader(Loader loader, std::string uuid, Log log);

    /// Nothing if NVML is missing or does not say; logged once.
    std::optional<ClockReading> clocks();
    /// See Device::utilization(). Nothing if clocks() has nothing.
    std::optional<double> utilization();
    /// See Device::energy_j().
    std::optional<double> energy_j();

private:
    void start();

    Loader loader_;
    std::string uuid_;
    Log log_;
    std::once_flag started_;
    std::shared_ptr<const NvmlTable> nvml_;  // null: nothing can be read
    NvmlDevice device_ = nullptr;
};

}  // namespace jitune::internal
