// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <thread>

namespace jitune::internal {

namespace {

constexpr double kBusy = 0.1;

/// NVML speaks of the last second, in which a process may have worked that has just ended.
constexpr std::chrono::milliseconds kPast{1200};

bool is_busy(const std::optional<double>& share) {
    return share.value_or(0) > kBusy;
}

}  // namespace

std::set<const Device*> busy_devices(const std::vector<Device*>& devices, const Log& log) {
    std::map<Device*, std::optional<double>> shares;
    std::vector<Device*> doubtful;
    for (Device* device : devices) {
        shares[device] = device->utilization();
        if (is_busy(shares[device]) && !runs_on_cpu(device->info().platform)) {
            doubtful.push_back(device);
        }
    }
    if (!doubtful.empty()) {
        std::this_thread::sleep_for(kPast);
        for (Device* device : doubtful) {
            shares[device] = device->utilization();
        }
    }
    std::set<const Device*> busy;
    for (Device* device : devices) {
        if (is_busy(shares[device])) {
            busy.insert(device);
            log.warning(
                "{} is {:.0f} % busy with other work: times may be disturbed; repeat this on a "
                "quiet machine, which tunes provisional winners anew",
                device->info().id, *shares[device] * 100);
        }
    }
    return busy;
}

}  // namespace jitune::internal
