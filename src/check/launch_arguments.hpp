// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "template/kernel_template.hpp"

namespace jitune::internal {

/// Compares the arguments that a launch of the template passes with the bytes of the kernel's
/// parameters. Returns a sentence that names the difference, or an empty text if number and sizes
/// agree. Cannot tell types of the same size apart.
std::string flaw_of_arguments(const KernelTemplate& kernel, const Problem& problem,
                              const LaunchSpec& launch, std::span<const std::int64_t> parameters);

}  // namespace jitune::internal
