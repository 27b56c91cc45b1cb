// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/nvml_reader.hpp"

#include "backend/shared_library.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

// The reasons that lower the clocks of a busy device. Left out: idle, clocks set by the user,
// displays.
constexpr unsigned long long kHeldDown = kNvmlSwPowerCap | kNvmlHwSlowdown |
                                         kNvmlSwThermalSlowdown | kNvmlHwThermalSlowdown |
                                         kNvmlHwPowerBrake;

}  // namespace

std::shared_ptr<const NvmlTable> load_nvml() {
    const SharedLibrary library = SharedLibrary::open({"libnvidia-ml.so.1"});
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

NvmlReader::NvmlReader(Loader loader, std::string uuid, Log log)
    : loader_(std::move(loader)), uuid_(std::move(uuid)), log_(std::move(log)) {}

void NvmlReader::start() {
    try {
        const auto table = loader_();
        int answer = table->init();
        if (answer == kNvmlSuccess) {
            answer = table->device_by_uuid(uuid_.c_str(), &device_);
        }
        if (answer == kNvmlSuccess) {
            nvml_ = table;
        } else {
            log_.info("NVML does not know {} (nvmlReturn_t {}): neither clocks nor use are watched",
                      uuid_, answer);
        }
    } catch (const Error& error) {
        log_.info("{}: neither clocks nor use are watched", error.what());
    }
}

std::optional<double> NvmlReader::utilization() {
    std::call_once(started_, [this] { start(); });
    NvmlUtilization rates;
    if (nvml_ == nullptr || nvml_->utilization(device_, &rates) != kNvmlSuccess) {
        return std::nullopt;
    }
    return rates.gpu / 100.0;
}

std::optional<double> NvmlReader::energy_j() {
    std::call_once(started_, [this] { start(); });
    unsigned long long millijoules = 0;
    if (nvml_ == nullptr || nvml_->energy(device_, &millijoules) != kNvmlSuccess) {
        return std::nullopt;
    }
    return static_cast<double>(millijoules) / 1000;
}

std::optional<ClockReading> NvmlReader::clocks() {
    std::call_once(started_, [this] { start(); });
    unsigned mhz = 0;
    unsigned long long reasons = 0;
    if (nvml_ == nullptr || nvml_->clock_mhz(device_, kNvmlClockSm, &mhz) != kNvmlSuccess ||
        nvml_->throttle_reasons(device_, &reasons) != kNvmlSuccess || mhz == 0) {
        return std::nullopt;
    }
    return ClockReading{mhz, (reasons & kHeldDown) != 0};
}

}  // namespace jitune::internal
