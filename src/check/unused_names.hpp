// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "check/finding.hpp"
#include "template/kernel_template.hpp"

namespace jitune::internal {

/// Warnings about parameters, type parameters and sizes of a template that neither its code nor its
/// launches depend on, and about macros that its code does not name. None about `made_size`, which
/// is not its author's.
std::vector<Finding> unused_names(const KernelTemplate& kernel, std::string_view made_size = {});

}  // namespace jitune::internal
