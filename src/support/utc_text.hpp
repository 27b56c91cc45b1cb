// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <string>

#include <fmt/chrono.h>

namespace jitune::internal {

/// The present time as "2026-11-20T16:00:00Z".
inline std::string utc_text() {
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace jitune::internal
