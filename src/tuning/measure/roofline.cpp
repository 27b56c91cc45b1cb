// SPDX-License-Identifier: Apache-2.0
#include "tuning/measure/roofline.hpp"

#include <fmt/format.h>

namespace jitune::internal {

namespace {

constexpr double kMargin = 1.1;  // real clocks are a little above the stated ones

double attribute(const DeviceInfo& device, const char* name) {
    const auto found = device.attributes.find(name);
    return found == device.attributes.end() ? 0 : static_cast<double>(found->second);
}

}  // namespace

// Two transfers per clock and line of the bus.
Roofline::Roofline(const DeviceInfo& device)
    : bytes_per_ns_(2e-6 * attribute(device, "memory_clock_khz") *
                    attribute(device, "memory_bus_bits") / 8) {}

std::optional<std::string> Roofline::complaint(std::size_t cold_bytes, double ns) const {
    const auto bytes = static_cast<double>(cold_bytes);
    const double most = kMargin * bytes_per_ns_;
    if (most == 0 || bytes <= ns * most) {
        return std::nullopt;
    }
    return fmt::format(
        "faster than the memory: {:.0f} bytes that are not in the cache take at least {:.0f} ns, "
        "not {:.0f} ns",
        bytes, bytes / most, ns);
}

}  // namespace jitune::internal
