// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "check/finding.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// Warnings about parameters, type parameters and sizes of a template that neither its code nor its
/// launches depend on, and about macros that its code does not name.
std::vector<Finding> unused_names(const KernelTemplate& kernel);

}  // namespace jitune::internal
