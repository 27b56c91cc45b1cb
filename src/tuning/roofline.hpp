// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "backend/device.hpp"

namespace jitune::internal {

/// What no right kernel can do: to read faster than the device's memory gives.
class Roofline {
public:
    explicit Roofline(const DeviceInfo& device);

    /// Why a launch that reads `cold_bytes` bytes that no cache holds cannot have taken `ns`;
    /// nullopt where it can, or where the device does not say how fast its memory is.
    [[nodiscard]] std::optional<std::string> complaint(std::size_t cold_bytes, double ns) const;

private:
    double bytes_per_ns_;  // 0: not known
};

}  // namespace jitune::internal
