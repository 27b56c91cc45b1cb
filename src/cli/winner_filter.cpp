// SPDX-License-Identifier: Apache-2.0
#include "cli/winner_filter.hpp"

#include <fmt/format.h>

namespace jitune::internal {

namespace {

bool has_type(const Winner& winner, const std::string& name, const std::string& value) {
    const std::string padded = " " + winner.key.types + " ";
    return value.empty() || padded.find(fmt::format(" {}={} ", name, value)) != std::string::npos;
}

}  // namespace

std::vector<Option> WinnerFilter::options(const OptionRules& rules) {
    return {{"--kernel", &kernel, "Name of the kernel, such as reduce", rules},
            {"--type", &type, "Element type, such as float32", rules},
            {"--op", &op, "Operation, such as sum", rules},
            {"--device-class", &device_class, "Part of the device class", rules}};
}

bool WinnerFilter::matches(const Winner& winner) const {
    return (kernel.empty() || winner.key.kernel == kernel) && has_type(winner, "element", type) &&
           has_type(winner, "operation", op) &&
           winner.key.device_class.find(device_class) != std::string::npos;
}

std::vector<Winner> WinnerFilter::of(std::vector<Winner> winners) const {
    std::erase_if(winners, [&](const Winner& winner) { return !matches(winner); });
    return winners;
}

}  // namespace jitune::internal
