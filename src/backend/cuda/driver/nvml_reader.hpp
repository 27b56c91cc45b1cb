// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "backend/cuda/driver/nvml_table.hpp"
#include "backend/device.hpp"
#include "support/log.hpp"

namespace jitune::internal {

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
