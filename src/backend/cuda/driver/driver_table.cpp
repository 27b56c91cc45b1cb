// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/driver_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "backend/shared_library.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

SharedLibrary open_driver() {
    try {
        return SharedLibrary::open({"libcuda.so.1"});
    } catch (const Error& error) {
        throw Error(ErrorKind::unavailable,
                    fmt::format("there is no NVIDIA driver: {}", error.what()));
    }
}

void* resolve_driver(const SharedLibrary& library, const char* symbol) {
    if (void* address = library.find(symbol)) {
        return address;
    }
    // Headers from 12.8 on name _v2, which differs from the first one in its error codes alone.
    if (std::strcmp(symbol, "cuEventElapsedTime_v2") == 0) {
        if (void* address = library.find("cuEventElapsedTime")) {
            return address;
        }
    }
    throw Error(ErrorKind::unavailable,
                fmt::format("the NVIDIA driver is too old: it has no {}; a driver for CUDA 12.0 or "
                            "later is needed",
                            symbol));
}

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

// The results after which the process must be relaunched, as cuda.h says, and the assert. They are
// numbers because not every toolkit has names for all of them.
constexpr std::array kContextLost{226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911};

}  // namespace

std::shared_ptr<const DriverTable> load_driver() {
    const SharedLibrary library = open_driver();
    return resolved_table<DriverTable>(
        [&](const char* symbol) { return resolve_driver(library, symbol); });
}

bool is_fatal(CUresult result) {
    return result != CUDA_SUCCESS &&
           std::find(kHarmless.begin(), kHarmless.end(), result) == kHarmless.end();
}

bool ends_context(CUresult result) {
    return std::find(kContextLost.begin(), kContextLost.end(), static_cast<int>(result)) !=
           kContextLost.end();
}

std::string describe(const DriverTable& driver, CUresult result) {
    const char* name = nullptr;
    const char* text = nullptr;
    if (driver.cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) {
        return fmt::format("CUresult {}", static_cast<int>(result));
    }
    if (driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr) {
        return name;
    }
    return fmt::format("{} ({})", name, text);
}

void check(const DriverTable& driver, CUresult result, const char* call, std::string_view tried) {
    if (result == CUDA_SUCCESS) {
        return;
    }
    const char* advice = ends_context(result)
                             ? "; the CUDA context is lost, perhaps through an earlier launch of "
                               "this process: restart it"
                             : "";
    throw Error(ErrorKind::device,
                fmt::format("{}: {}: {}{}", tried, call, describe(driver, result), advice),
                native_code(result));
}

}  // namespace jitune::internal
