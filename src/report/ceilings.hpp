// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "report/report_data.hpp"

namespace jitune::internal {

/// The rate of a winner where it was tuned, in GB/s; nothing where jitune does not know the bytes.
std::optional<double> rate_of(const Winner& winner);

/// Whether a launch moves so many bytes that their rate is that of the device's memory. False where
/// the device class does not say how large its caches are.
bool is_beyond_caches(const std::string& device_class, double bytes);

/// The ceilings of the winners' device classes, as far as stored data tells.
std::map<std::string, Ceiling> ceilings_of(std::span<const Winner> winners);

}  // namespace jitune::internal
