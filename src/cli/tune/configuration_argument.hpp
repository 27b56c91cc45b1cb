// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "template/kernel_template.hpp"

namespace jitune::internal {

/// The configuration of a text such as "block=256 pack=4". Parameters that it leaves out have their
/// values in the default of the problem on the device. Throws Error(usage) for a name or a value
/// that the template does not list, and, with the constraint that refuses it, for a configuration
/// that no search would try there.
Configuration parse_configuration(const std::string& text, const KernelTemplate& kernel,
                                  const Problem& problem, const DeviceInfo& device);

}  // namespace jitune::internal
