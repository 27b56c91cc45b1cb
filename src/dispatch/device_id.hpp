// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "backend/platform_kind.hpp"

namespace jitune::internal {

/// A device as users name it.
struct DeviceId {
    PlatformKind platform;
    int ordinal = 0;
};

/// Of "host", "cuda" or "cuda:N". Throws Error(usage) for another word.
DeviceId parse_device_id(std::string_view text);

}  // namespace jitune::internal
