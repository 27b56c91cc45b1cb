// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include "jitune/error.hpp"

namespace jitune::bench {

/// Throws Error(device) that names the call unless it succeeded.
inline void cuda_call(cudaError_t status, const char* what) {
    if (status != cudaSuccess) {
        throw Error(ErrorKind::device, std::string(what) + ": " + cudaGetErrorName(status) + ": " +
                                           cudaGetErrorString(status));
    }
}

}  // namespace jitune::bench
