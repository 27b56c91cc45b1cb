// SPDX-License-Identifier: Apache-2.0
#include "template/template_values.hpp"

#include <variant>

#include "types/element_names.hpp"

namespace jitune::internal {

namespace {

Scalar scalar(const Value& value) {
    return std::visit([](const auto& held) { return Scalar(held); }, value);
}

}  // namespace

std::map<std::string, Scalar> fixed_values(const FrontMatter& front, const Problem& problem,
                                           const DeviceInfo& device) {
    std::map<std::string, Scalar> values;
    for (const auto& [name, value] : device.attributes) {
        values.emplace(name, value);
    }
    for (const auto& [parameter, name] : problem.types) {
        values.emplace(parameter, front.type_value(parameter, name));
        if (const auto bytes = type_bytes(name)) {
            values.emplace(parameter + "_bytes", *bytes);
        }
    }
    return values;
}

void add_sizes(std::map<std::string, Scalar>& values, const FrontMatter& front,
               const Problem& problem) {
    for (std::size_t i = 0; i < front.sizes.size(); ++i) {
        values.emplace(front.sizes[i], problem.sizes.at(i));
    }
}

void add_configuration(std::map<std::string, Scalar>& values, const Configuration& configuration) {
    for (const auto& [name, value] : configuration.entries()) {
        values.emplace(name, scalar(value));
    }
}

}  // namespace jitune::internal
