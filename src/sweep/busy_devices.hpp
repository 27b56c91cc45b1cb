// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "backend/device.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The devices that other processes use right now, so that times taken on them may be disturbed.
/// Warns of each. Waits for 100 ms where the host is one of them, and for 1.2 s where a GPU seems
/// to be busy, which is asked again then.
std::set<const Device*> busy_devices(const std::vector<Device*>& devices, const Log& log);

}  // namespace jitune::internal
