// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "backend/cuda/driver/toolkit_library.hpp"
#include "backend/device.hpp"

namespace jitune::internal {

/// CUPTI's profiler, as functions: cupti_profiler.hpp, since CUPTI's headers may be missing where
/// CUDA's other ones are there.
struct CuptiTable;

ToolkitLibrary cupti_library();

/// Loads CUPTI for the life of the process. Only the library that JITUNE_CUPTI names, where it is
/// set. Throws Error(unavailable) that says where it looked and what to do, or that jitune is built
/// without CUPTI's headers.
std::shared_ptr<const CuptiTable> load_cupti();

/// Reads hardware counters through CUPTI, which is loaded when first asked for and at work during
/// read() alone. Thread-safe.
class CounterProfiler {
public:
    using Loader = std::function<std::shared_ptr<const CuptiTable>()>;
    explicit CounterProfiler(Loader loader) : loader_(std::move(loader)) {}

    /// The counters of one launch in `context`, which is current and one of `device`; else, as
    /// text, why they cannot be read: see Bench::counters(). `launch` enqueues `kernels` kernels,
    /// one after the other, and waits for them; what it throws but Error(unavailable) passes
    /// through.
    CounterOutcome read(CUcontext context, CUdevice device, std::size_t kernels,
                        const std::function<void()>& launch);

private:
    Loader loader_;
    // Held while kernels run: CUPTI has one session in a process, and no call of an app waits here.
    std::mutex mutex_;
    std::shared_ptr<const CuptiTable> cupti_;
};

}  // namespace jitune::internal
