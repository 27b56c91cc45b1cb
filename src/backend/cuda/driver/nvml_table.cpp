// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/nvml_table.hpp"

#include "backend/shared_library.hpp"

namespace jitune::internal {

std::shared_ptr<const NvmlTable> load_nvml() {
    const SharedLibrary library =
        SharedLibrary::open({"libnvidia-ml.so.1"}, SharedLibrary::Lifetime::process);
    auto table = std::make_shared<NvmlTable>();
    library.resolve("nvmlInit_v2", table->init);
    library.resolve("nvmlDeviceGetHandleByUUID", table->device_by_uuid);
    library.resolve("nvmlDeviceGetClockInfo", table->clock_mhz);
    // Newer headers have another name for it; drivers have this one as well.
    library.resolve("nvmlDeviceGetCurrentClocksThrottleReasons", table->throttle_reasons);
    library.resolve("nvmlDeviceGetUtilizationRates", table->utilization);
    library.resolve("nvmlDeviceGetTotalEnergyConsumption", table->energy);
    return table;
}

}  // namespace jitune::internal
