#pragma once

#include <string_view>

namespace jitune {

/// A device as users name it.
struct DeviceId {
    std::string_view platform;  ///< "cuda" or "host", part of the text
    int ordinal = 0;
};

/// Of "host", "cuda" or "cuda:N". Throws Error(usage) for another word.
DeviceId parse_device_id(std::string_view text);

}  // namespace jitune
