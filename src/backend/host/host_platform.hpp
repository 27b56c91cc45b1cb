// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "backend/platform.hpp"
#include "support/log.hpp"

namespace jitune::internal {

/// The machine itself: always one device. That a compiler is missing shows when something must be
/// compiled; stored binaries run without one.
std::unique_ptr<Platform> make_host_platform(const Log& log);

}  // namespace jitune::internal
