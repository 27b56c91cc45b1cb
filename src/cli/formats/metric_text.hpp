// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cli/formats/json.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// "speed, GFLOP/s": the title of a metric's column.
std::string metric_title(const std::string& name, const std::string& unit);

/// An object with a value and a unit for each.
Json metrics_json(std::span<const KernelTemplate::Metric> metrics);

}  // namespace jitune::internal
