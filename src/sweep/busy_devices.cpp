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
                "{} is {:.0f} % busy with other work: times may be disturbed; sweep again on a "
                "quiet machine, which tunes provisional winners anew",
                device->info().id, *share * 100);
        }
    }
    return busy;
}

}  // namespace jitune::internal
