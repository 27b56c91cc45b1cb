// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "template/kernel_template.hpp"
#include "template/output_compare.hpp"
#include "template/problem.hpp"

namespace jitune::internal {

/// An array in device memory that calls of a kernel bring.
struct CallArray {
    std::size_t place = 0;  ///< among the arguments that a ReadyLaunch takes
    std::size_t bytes = 0;
    std::optional<OutputSpec> output = {};  ///< if the kernel writes the array
};

/// The arrays of a problem whose outputs can be computed a second time, into other memory: the
/// kernel writes each output whole and reads none of them. Nothing for other kernels, and nothing
/// if the template does not tell an array's length or an output's type.
std::optional<std::vector<CallArray>> call_arrays(const KernelTemplate& kernel,
                                                  const Problem& problem);

/// True if an output of a call shares memory with another of its arrays. `arguments` are those of a
/// ReadyLaunch.
bool has_shared_output(std::span<const CallArray> arrays, void* const* arguments);

}  // namespace jitune::internal
