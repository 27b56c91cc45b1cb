// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "backend/cuda/driver/function_table.hpp"
#include "jitune/error.hpp"

// Every driver function that the library calls. cuda.h renames some of them to a versioned symbol
// (cuMemAlloc is cuMemAlloc_v2); as macro arguments they are expanded before use, so that member,
// type and symbol always agree.
#define JITUNE_DRIVER_FUNCTIONS(X)       \
    X(cuInit)                            \
    X(cuDriverGetVersion)                \
    X(cuGetErrorName)                    \
    X(cuGetErrorString)                  \
    X(cuDeviceGetCount)                  \
    X(cuDeviceGet)                       \
    X(cuDeviceGetName)                   \
    X(cuDeviceGetUuid)                   \
    X(cuDeviceGetAttribute)              \
    X(cuDevicePrimaryCtxRetain)          \
    X(cuDevicePrimaryCtxRelease)         \
    X(cuDevicePrimaryCtxGetState)        \
    X(cuCtxGetCurrent)                   \
    X(cuCtxGetDevice)                    \
    X(cuCtxGetId)                        \
    X(cuCtxPushCurrent)                  \
    X(cuCtxPopCurrent)                   \
    X(cuDeviceCanAccessPeer)             \
    X(cuCtxEnablePeerAccess)             \
    X(cuThreadExchangeStreamCaptureMode) \
    X(cuMemAlloc)                        \
    X(cuMemFree)                         \
    X(cuMemGetInfo)                      \
    X(cuPointerGetAttribute)             \
    X(cuMemHostAlloc)                    \
    X(cuMemFreeHost)                     \
    X(cuMemcpyHtoDAsync)                 \
    X(cuMemcpyDtoHAsync)                 \
    X(cuMemcpyDtoDAsync)                 \
    X(cuMemcpyPeerAsync)                 \
    X(cuMemsetD8Async)                   \
    X(cuMemsetD2D32Async)                \
    X(cuStreamCreate)                    \
    X(cuStreamCreateWithPriority)        \
    X(cuStreamDestroy)                   \
    X(cuStreamQuery)                     \
    X(cuStreamSynchronize)               \
    X(cuStreamIsCapturing)               \
    X(cuStreamGetId)                     \
    X(cuStreamGetCtx)                    \
    X(cuStreamWaitEvent)                 \
    X(cuStreamBeginCapture)              \
    X(cuStreamEndCapture)                \
    X(cuEventCreate)                     \
    X(cuEventDestroy)                    \
    X(cuEventQuery)                      \
    X(cuEventRecordWithFlags)            \
    X(cuEventElapsedTime)                \
    X(cuLibraryLoadData)                 \
    X(cuLibraryUnload)                   \
    X(cuLibraryGetKernel)                \
    X(cuLibraryGetGlobal)                \
    X(cuKernelGetFunction)               \
    X(cuKernelGetAttribute)              \
    X(cuKernelSetAttribute)              \
    X(cuLaunchKernelEx)                  \
    X(cuTexObjectCreate)                 \
    X(cuTexObjectDestroy)                \
    X(cuGraphDestroy)                    \
    X(cuGraphInstantiateWithFlags)       \
    X(cuGraphExecDestroy)                \
    X(cuGraphUpload)                     \
    X(cuGraphLaunch)

namespace jitune::internal {

/// The CUDA driver, as functions.
struct DriverTable {
    JITUNE_FUNCTION_TABLE(JITUNE_DRIVER_FUNCTIONS)
};

/// Loads libcuda.so.1 for the life of the process; does not call cuInit. Throws Error(unavailable)
/// that says in one line why there is no usable driver.
std::shared_ptr<const DriverTable> load_driver();

/// True if cuda.h says that the process must be restarted after `result`, and for every code
/// that is not known to be harmless.
bool is_fatal(CUresult result);

/// True for the codes by which cuda.h says that the context is gone.
bool ends_context(CUresult result);

/// "CUDA_ERROR_INVALID_VALUE (invalid argument)"
std::string describe(const DriverTable& driver, CUresult result);

/// The result as Error::native_code().
inline NativeCode native_code(CUresult result) {
    return {NativeCode::Source::cuda, static_cast<int>(result)};
}

/// Throws Error(device) "<tried>: <call>: <description>" unless `result` is CUDA_SUCCESS.
void check(const DriverTable& driver, CUresult result, const char* call, std::string_view tried);

/// Calls a function of the driver, and throws as check() does.
template <class... Parameters>
void call(const DriverTable& driver, CUresult (*DriverTable::*function)(Parameters...),
          std::string_view tried, std::type_identity_t<Parameters>... arguments) {
    if (const CUresult result = (driver.*function)(arguments...); result != CUDA_SUCCESS) {
        check(driver, result, function_name(driver, &(driver.*function)), tried);
    }
}

}  // namespace jitune::internal
