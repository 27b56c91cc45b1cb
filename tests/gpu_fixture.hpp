#pragma once

#include <chrono>
#include <memory>

#include <gtest/gtest.h>

#include "backend/cuda/driver_table.hpp"
#include "device_array.hpp"
#include "jitune/session.hpp"

namespace jitune {

/// A session of templates' defaults, without a file, and device 0's primary context, which is
/// current in each test. Tests are skipped where there is no GPU.
class GpuFixture : public testing::Test {
protected:
    static Options quick_options(TunePolicy policy) {
        Options options;
        options.database.clear();
        options.on_miss = policy;
        options.budget = std::chrono::milliseconds(300);
        return options;
    }

    void SetUp() override {
        for (const DeviceDescription& device : session_.devices()) {
            if (device.id.starts_with("cuda") && !device.missing.empty()) {
                GTEST_SKIP() << device.missing;
            }
        }
        driver_ = load_driver();
        CUdevice device = 0;
        ASSERT_EQ(driver_->cuDeviceGet(&device, 0), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuDevicePrimaryCtxRetain(&context_, device), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuCtxPushCurrent(context_), CUDA_SUCCESS);
    }

    void TearDown() override {
        if (context_ != nullptr) {
            CUcontext popped = nullptr;
            driver_->cuCtxPopCurrent(&popped);
            EXPECT_EQ(popped, context_) << "jitune left another context current";
        }
    }

    Session session_{quick_options(TunePolicy::template_default)};
    std::shared_ptr<const DriverTable> driver_;
    CUcontext context_ = nullptr;
};

}  // namespace jitune
