// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "template/kernel_template.hpp"

namespace jitune::internal {

/// What is wrong with the arguments that a launch of the template passes to a kernel whose
/// parameters have these bytes; empty where number and sizes agree. Types of the same size are not
/// told apart.
std::string flaw_of_arguments(const KernelTemplate& kernel, const Problem& problem,
                              const LaunchSpec& launch, std::span<const std::int64_t> parameters);

}  // namespace jitune::internal
