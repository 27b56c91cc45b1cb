// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "backend/device.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The devices that other processes use right now, or have used a second ago, so that times taken
/// on them may be disturbed. Warns of each. May wait for 100 ms.
std::set<const Device*> busy_devices(const std::vector<Device*>& devices, const Log& log);

}  // namespace jitune::internal
