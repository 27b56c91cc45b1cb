// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "backend/device.hpp"

namespace jitune::internal {

/// The fastest that a device's memory can deliver: no right kernel is faster.
class Roofline {
public:
    explicit Roofline(const DeviceInfo& device);

    /// The peak rate of the memory by its clock and bus; empty if the device does not say.
    [[nodiscard]] std::optional<double> gb_per_s() const {
        return bytes_per_ns_ > 0 ? std::optional(bytes_per_ns_) : std::nullopt;
    }

    /// Says why a launch cannot take only `ns` if it reads `cold_bytes` bytes that no cache holds.
    /// Nothing if it can, or if the device does not say how fast its memory is.
    [[nodiscard]] std::optional<std::string> complaint(std::size_t cold_bytes, double ns) const;

private:
    double bytes_per_ns_;  // 0: unknown
};

}  // namespace jitune::internal
