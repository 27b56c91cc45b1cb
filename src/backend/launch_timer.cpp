// SPDX-License-Identifier: Apache-2.0
#include "backend/launch_timer.hpp"

namespace jitune::internal {

std::unique_ptr<LaunchTimer> Device::make_launch_timer() {
    return nullptr;
}

}  // namespace jitune::internal
