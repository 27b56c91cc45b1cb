#include "backend/cuda/context.hpp"

namespace jitune {
namespace {

bool has_current_context(const CudaDevice& device) {
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

ContextScope::Current::Current(CudaDevice& device) : device_(device) {
    if (!has_current_context(device)) {
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

ContextScope::RelaxedCapture::RelaxedCapture(CudaDevice& device) : device_(device) {
    device.check(device.driver().cuThreadExchangeStreamCaptureMode(&mode_),
                 "cuThreadExchangeStreamCaptureMode", "make the device's context current");
}

ContextScope::RelaxedCapture::~RelaxedCapture() {
    device_.report(device_.driver().cuThreadExchangeStreamCaptureMode(&mode_),
                   "cuThreadExchangeStreamCaptureMode");
}

}  // namespace jitune
