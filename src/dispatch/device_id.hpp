// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "backend/platform_kind.hpp"

namespace jitune::internal {

/// A device in the form in which users name it.
struct DeviceId {
    PlatformKind platform;
    int ordinal = 0;
};

/// Parses "host", "cuda" or "cuda:N". Throws Error(usage) for any other text.
DeviceId parse_device_id(std::string_view text);

}  // namespace jitune::internal
