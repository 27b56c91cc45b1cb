// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/launch/launch_failure.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include <fmt/format.h>

#include "backend/cuda/driver/driver_device.hpp"
#include "support/loop_clock.hpp"

namespace jitune::internal {
namespace {

// After these results the context can still be used.
constexpr std::array kHarmless{
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_OUT_OF_MEMORY,
    CUDA_ERROR_INVALID_IMAGE,
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUDA_ERROR_INVALID_PTX,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
    CUDA_ERROR_INVALID_SOURCE,
    CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
    CUDA_ERROR_SHARED_OBJECT_INIT_FAILED,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_FOUND,
    CUDA_ERROR_NOT_READY,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
    CUDA_ERROR_NOT_PERMITTED,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
    CUDA_ERROR_STREAM_CAPTURE_MERGE,
    CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
    CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
    CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
    CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
    CUDA_ERROR_CAPTURED_EVENT,
    CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD,
    CUDA_ERROR_INVALID_CLUSTER_SIZE,
};

// The results after which the process must be relaunched, as cuda.h says, and that of an assert.
// They are numbers because not every toolkit has names for all of them.
constexpr std::array kContextLost{226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};

// A sample of a timing is awaited awake; sleeping through its end would cost a part of it.
constexpr std::chrono::microseconds kSpin{1'000};
constexpr std::chrono::microseconds kNap{50};
constexpr std::chrono::seconds kLongestTurn{1};  // a clock that jumps must not give a device up

}  // namespace

bool is_fatal(CUresult result) {
    return result != CUDA_SUCCESS &&
           std::find(kHarmless.begin(), kHarmless.end(), result) == kHarmless.end();
}

bool ends_context(CUresult result) {
    return std::find(kContextLost.begin(), kContextLost.end(), static_cast<int>(result)) !=
           kContextLost.end();
}

LaunchFailure launch_failure(const DriverTable& driver, CUresult result, const char* call,
                             std::string_view tried) {
    return {.timed_out = false,
            .fatal = is_fatal(result),
            .reason = fmt::format("{}: {}: {}", tried, call, describe(driver, result)),
            .native_code = native_code(result)};
}

std::optional<LaunchFailure> wait_until_idle(DriverDevice& device, Stream stream,
                                             std::chrono::milliseconds limit) {
    const DriverTable& driver = device.driver();
    LoopClock time(kNap, kLongestTurn);
    while (true) {
        const CUresult result = driver.cuStreamQuery(stream);
        if (result == CUDA_SUCCESS) {
            return std::nullopt;
        }
        if (result != CUDA_ERROR_NOT_READY) {
            return launch_failure(driver, result, "cuStreamQuery", "wait for the kernel");
        }
        const auto waited = time.turn();
        if (waited >= limit) {
            device.abandon();
            return LaunchFailure{
                .timed_out = true,
                .fatal = true,
                .reason = fmt::format("the kernel did not end within {} ms", limit.count())};
        }
        if (waited >= kSpin) {
            std::this_thread::sleep_for(kNap);
        }
    }
}

}  // namespace jitune::internal
