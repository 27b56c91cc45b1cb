// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/measure/counter_profiler.hpp"

#include "jitune/error.hpp"

#if __has_include(<cupti_range_profiler.h>)
#include "backend/cuda/measure/cupti_profiler.hpp"
#endif

namespace jitune::internal {

ToolkitLibrary cupti_library() {
    return {.name = "CUPTI",
            .wanted = "libcupti 12.6 or later",
            .variable = "JITUNE_CUPTI",
            .names = {"libcupti.so.13", "libcupti.so.12"},
            .plain_name = "libcupti.so",
            .folders = {"lib64", "extras/CUPTI/lib64"},
            .pip_folder = "cuda_cupti"};
}

#if __has_include(<cupti_range_profiler.h>)

std::shared_ptr<const CuptiTable> load_cupti() {
    return resolved_table<CuptiTable>(open_toolkit_library(cupti_library()));
}

#else

std::shared_ptr<const CuptiTable> load_cupti() {
    throw Error(ErrorKind::unavailable,
                "this jitune is built without CUPTI: build it where CUDA 12.6 or later has its "
                "header cupti_range_profiler.h");
}

namespace {

/// Not called, because there is no table.
std::vector<CounterValue> read_counters(const CuptiTable& /*cupti*/, CUcontext /*context*/,
                                        CUdevice /*device*/, std::size_t /*kernels*/,
                                        const std::function<void()>& /*launch*/) {
    return {};
}

}  // namespace

#endif

CounterOutcome CounterProfiler::read(CUcontext context, CUdevice device, std::size_t kernels,
                                     const std::function<void()>& launch) {
    const std::lock_guard lock(mutex_);
    try {
        if (!cupti_) {
            cupti_ = loader_();
        }
        return read_counters(*cupti_, context, device, kernels, launch);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::unavailable) {
            throw;
        }
        return error.what();
    }
}

}  // namespace jitune::internal
