// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/context.hpp"

namespace jitune::internal {
namespace {

bool has_current_context(const DriverDevice& device) {
    const DriverTable& driver = device.driver();
    constexpr std::string_view tried = "find the current context";
    CUcontext context = nullptr;
    device.check(driver.cuCtxGetCurrent(&context), "cuCtxGetCurrent", tried);
    if (context == nullptr) {
        return false;
    }
    CUdevice handle = 0;
    device.check(driver.cuCtxGetDevice(&handle), "cuCtxGetDevice", tried);
    return handle == device.handle();
}

}  // namespace

ContextScope::Current::Current(DriverDevice& device, bool primary) : device_(device) {
    if (primary || !has_current_context(device)) {
        device.check(device.driver().cuCtxPushCurrent(device.primary_context()), "cuCtxPushCurrent",
                     "make the device's context current");
        pushed_ = true;
    }
}

ContextScope::Current::~Current() {
    if (pushed_) {
        CUcontext ours = nullptr;
        device_.report(device_.driver().cuCtxPopCurrent(&ours), "cuCtxPopCurrent");
    }
}

ContextScope::RelaxedCapture::RelaxedCapture(DriverDevice& device) : device_(device) {
    device.check(device.driver().cuThreadExchangeStreamCaptureMode(&mode_),
                 "cuThreadExchangeStreamCaptureMode", "make the device's context current");
}

ContextScope::RelaxedCapture::~RelaxedCapture() {
    device_.report(device_.driver().cuThreadExchangeStreamCaptureMode(&mode_),
                   "cuThreadExchangeStreamCaptureMode");
}

StreamContext::StreamContext(const DriverTable& driver, Stream stream) : driver_(driver) {
    constexpr std::string_view tried = "use the context of a stream";
    CUcontext context = nullptr;
    const CUresult result = driver.cuStreamGetCtx(stream, &context);
    if (result == CUDA_ERROR_INVALID_CONTEXT) {
        return;  // a default stream, and none is current
    }
    check(driver, result, "cuStreamGetCtx", tried);
    check(driver, driver.cuCtxPushCurrent(context), "cuCtxPushCurrent", tried);
    pushed_ = true;
}

StreamContext::~StreamContext() {
    if (pushed_) {
        CUcontext ours = nullptr;
        driver_.cuCtxPopCurrent(&ours);  // fails only if another has popped it
    }
}

}  // namespace jitune::internal
