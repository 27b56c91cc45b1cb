// SPDX-License-Identifier: Apache-2.0
#include "cli/formats/metric_text.hpp"

namespace jitune::internal {

std::string metric_title(const std::string& name, const std::string& unit) {
    return unit.empty() ? name : name + ", " + unit;
}

Json metrics_json(std::span<const KernelTemplate::Metric> metrics) {
    Json document = Json::object();
    for (const KernelTemplate::Metric& metric : metrics) {
        document[metric.name] = {{"value", json_number(metric.value)}, {"unit", metric.unit}};
    }
    return document;
}

}  // namespace jitune::internal
