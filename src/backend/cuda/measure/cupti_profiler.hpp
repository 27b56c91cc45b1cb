// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included only where CUPTI's headers are: cupti_range_profiler.h came last, with CUDA 12.6.
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "backend/cuda/driver/function_table.hpp"
#include "backend/device.hpp"

#define JITUNE_CUPTI_FUNCTIONS(X)                   \
    X(cuptiGetResultString)                         \
    X(cuptiProfilerInitialize)                      \
    X(cuptiProfilerDeInitialize)                    \
    X(cuptiDeviceGetChipName)                       \
    X(cuptiProfilerGetCounterAvailability)          \
    X(cuptiProfilerHostInitialize)                  \
    X(cuptiProfilerHostDeinitialize)                \
    X(cuptiProfilerHostConfigAddMetrics)            \
    X(cuptiProfilerHostGetConfigImageSize)          \
    X(cuptiProfilerHostGetConfigImage)              \
    X(cuptiProfilerHostEvaluateToGpuValues)         \
    X(cuptiRangeProfilerEnable)                     \
    X(cuptiRangeProfilerDisable)                    \
    X(cuptiRangeProfilerGetCounterDataSize)         \
    X(cuptiRangeProfilerCounterDataImageInitialize) \
    X(cuptiRangeProfilerSetConfig)                  \
    X(cuptiRangeProfilerStart)                      \
    X(cuptiRangeProfilerStop)                       \
    X(cuptiRangeProfilerDecodeData)                 \
    X(cuptiRangeProfilerGetCounterDataInfo)

namespace jitune::internal {

/// CUPTI's profiler, as functions.
struct CuptiTable {
    JITUNE_FUNCTION_TABLE(JITUNE_CUPTI_FUNCTIONS)
};

/// CounterProfiler::read(), where CUPTI is at work for nobody else. Throws Error(unavailable).
std::vector<CounterValue> read_counters(const CuptiTable& cupti, CUcontext context, CUdevice device,
                                        std::size_t kernels, const std::function<void()>& launch);

}  // namespace jitune::internal
