// SPDX-License-Identifier: Apache-2.0
#include "sweep/busy_devices.hpp"

namespace jitune::internal {

std::set<const Device*> busy_devices(const std::vector<Device*>& devices, const Log& log) {
    constexpr double kBusy = 0.1;
    std::set<const Device*> busy;
    for (Device* device : devices) {
        const auto share = device->utilization();
        if (share && *share > kBusy) {
            busy.insert(device);
            log.warning(
                "other processes use {:.0f} % of {}: times are disturbed, and winners that are "
                "marked ? are provisional; the same command tunes those again when it is quiet",
                *share * 100, device->info().id);
        }
    }
    return busy;
}

}  // namespace jitune::internal
