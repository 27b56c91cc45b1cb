// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "backend/device.hpp"
#include "space/configuration.hpp"
#include "template/front_matter.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

// The values of names in a template's expressions.

/// The names of a problem and its device that are fixed while its configurations vary.
std::map<std::string, Scalar> fixed_values(const FrontMatter& front, const Problem& problem,
                                           const DeviceInfo& device);

void add_sizes(std::map<std::string, Scalar>& values, const FrontMatter& front,
               const Problem& problem);

void add_configuration(std::map<std::string, Scalar>& values, const Configuration& configuration);

}  // namespace jitune::internal
