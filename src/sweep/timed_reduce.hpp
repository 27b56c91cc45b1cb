// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "dispatch/engine.hpp"
#include "jitune/reduce.hpp"

namespace jitune::internal {

struct TimedReduction {
    alignas(8) std::byte value[8];  ///< bytes_of(request.result) of them
    DispatchInfo info;
    double seconds = 0;  ///< median of one reduction, with a cold cache and without transfers
};

/// Copies `values`, host memory of any alignment, to the device, and reduces and times them there.
/// The request is one of all elements, of which there is at least one. Throws as tuned_reduce does,
/// and Error(unavailable) if the device has too little memory.
TimedReduction timed_reduce(Engine& engine, Device& device, const detail::ReduceRequest& request,
                            const void* values);

}  // namespace jitune::internal
