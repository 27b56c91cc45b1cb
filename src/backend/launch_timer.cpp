// SPDX-License-Identifier: Apache-2.0
#include "backend/launch_timer.hpp"

#include <fmt/format.h>

#include "jitune/error.hpp"

namespace jitune::internal {

void require_timed(std::span<const Launch> chain, std::size_t untimed) {
    if (untimed == 0 || untimed >= chain.size()) {
        throw Error(ErrorKind::usage,
                    fmt::format("cannot time a chain of {} launches of which the first {} are not "
                                "timed: give at least one launch of each kind",
                                chain.size(), untimed));
    }
}

std::unique_ptr<LaunchTimer> Device::make_launch_timer() {
    return nullptr;
}

}  // namespace jitune::internal
