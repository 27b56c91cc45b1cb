// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include "reduce_compare/values.hpp"

namespace jitune::bench {

/// Enqueues writing value i of `values` to element i of `memory`, for n elements of this type.
void fill(ElementType element, const Values& values, void* memory, std::size_t n,
          cudaStream_t stream);

}  // namespace jitune::bench
