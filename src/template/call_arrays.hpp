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
    std::optional<OutputSpec> output = {};  ///< of one that the kernel writes
};

/// The arrays of a problem whose outputs can be computed a second time, into other memory: the
/// kernel writes each whole and reads none of them. Nothing for other kernels, and where the
/// template does not tell an array's length or an output's type.
std::optional<std::vector<CallArray>> call_arrays(const KernelTemplate& kernel,
                                                  const Problem& problem);

/// Whether an output of a call lies in the memory of another of its arrays. `arguments` as a
/// ReadyLaunch takes them.
bool has_shared_output(std::span<const CallArray> arrays, void* const* arguments);

}  // namespace jitune::internal
