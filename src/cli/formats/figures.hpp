// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "cli/formats/json.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// Measurement::figures as an object of numbers; as a text where a database holds something else.
Json figures_json(const std::string& figures);

/// "energy_j=0.0125 power_w=350.5"; the text itself where it is something else.
std::string figures_text(const std::string& figures);

/// "speed, GFLOP/s": the title of a metric's column.
std::string metric_title(const std::string& name, const std::string& unit);

/// An object with a value and a unit for each.
Json metrics_json(std::span<const KernelTemplate::Metric> metrics);

}  // namespace jitune::internal
