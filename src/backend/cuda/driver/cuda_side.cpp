// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/driver/cuda_side.hpp"

namespace jitune::internal {

namespace {

constexpr int kHighest = -100;  // the driver takes the nearest that there is
constexpr const char* kMaking = "make a stream beside another";

}  // namespace

CudaSide::CudaSide(const std::shared_ptr<DriverDevice>& device)
    : stream_(device, device->driver().cuStreamDestroy, "cuStreamDestroy"),
      forked_(device, device->driver().cuEventDestroy, "cuEventDestroy"),
      joined_(device, device->driver().cuEventDestroy, "cuEventDestroy") {
    const ContextScope scope(*device);
    const DriverTable& driver = device->driver();
    CUcontext context = nullptr;
    device->check(driver.cuCtxGetCurrent(&context), "cuCtxGetCurrent", kMaking);
    in_primary_ = device->keep_if_primary(context);
    device->check(
        driver.cuStreamCreateWithPriority(stream_.out(), CU_STREAM_NON_BLOCKING, kHighest),
        "cuStreamCreateWithPriority", kMaking);
    for (DriverHandle<CUevent>* event : {&forked_, &joined_}) {
        device->check(driver.cuEventCreate(event->out(), CU_EVENT_DISABLE_TIMING), "cuEventCreate",
                      kMaking);
    }
}

CudaSide::~CudaSide() {
    if (!in_primary_) {
        stream_.leave();
        forked_.leave();
        joined_.leave();
    }
}

}  // namespace jitune::internal
