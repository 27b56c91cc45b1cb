// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included only if CUPTI's headers are there: cupti_range_profiler.h came last, with CUDA 12.6.
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

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

/// CUPTI's profiler, as functions. Tests put others in their place.
struct CuptiTable {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the macro declares the name that it is given
#define JITUNE_DECLARE(function) decltype(&::function) function = nullptr;
    JITUNE_CUPTI_FUNCTIONS(JITUNE_DECLARE)
#undef JITUNE_DECLARE
};

}  // namespace jitune::internal
