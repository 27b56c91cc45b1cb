// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include <gtest/gtest.h>

#include "backend/cuda/driver/cuda_platform.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

/// Takes as many nanoseconds as its argument says.
const char* const kKernel = R"(
__global__ void rest(unsigned long long nanoseconds) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - begin < nanoseconds);
}
)";
constexpr std::uint64_t kRestNs = 20'000'000;

class CudaLaunchTimerGpu : public ::testing::Test {
protected:
    void SetUp() override {
        platform_ = make_cuda_platform(Log(LogLevel::warning));
        if (platform_->device_count() == 0) {
            GTEST_SKIP() << platform_->missing();
        }
        driver_ = load_driver();
        ASSERT_EQ(driver_->cuDeviceGet(&handle_, 0), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuDevicePrimaryCtxRetain(&context_, handle_), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuCtxPushCurrent(context_), CUDA_SUCCESS);
        ASSERT_EQ(driver_->cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        Device& device = platform_->device(0);
        const Instance instance{{"rest"}};
        program_ = device.load(std::get<Binary>(
            device.compile({"timer_test.cu", kKernel, {}}, {&instance, 1}).front()));
        Launch launch{};
        launch.step_count = 1;
        launch.steps[0].grid = {1, 1, 1};
        launch.steps[0].block = {1, 1, 1};
        launch.steps[0].argument_count = 1;
        launch.steps[0].arguments = {0};
        launch.cells = {kRestNs};
        program_->prepare(launch, ready_);
        timer_ = device.make_launch_timer();
    }
    void TearDown() override {
        if (context_ == nullptr) {
            return;
        }
        timer_.reset();
        ready_.reset();
        program_.reset();
        driver_->cuStreamDestroy(stream_);
        CUcontext popped = nullptr;
        driver_->cuCtxPopCurrent(&popped);
        EXPECT_EQ(popped, context_);
        platform_.reset();
        driver_->cuDevicePrimaryCtxRelease(handle_);
    }

    std::shared_ptr<const DriverTable> driver_;
    CUdevice handle_ = 0;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
    std::unique_ptr<Platform> platform_;
    std::shared_ptr<const Program> program_;
    std::unique_ptr<ReadyLaunch> ready_;
    std::unique_ptr<LaunchTimer> timer_;
};

TEST_F(CudaLaunchTimerGpu, SaysWhatACallTookOnceItHasEnded) {
    timer_->launch(*ready_, nullptr, stream_, 7);
    EXPECT_TRUE(timer_->take().empty()) << "the kernel runs, and nothing waits for it";
    ASSERT_EQ(driver_->cuStreamSynchronize(stream_), CUDA_SUCCESS);
    std::vector<LaunchTimer::Time> times;
    std::thread([&] { times = timer_->take(); }).join();  // no context is current there
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times[0].tag, 7U);
    EXPECT_GT(times[0].ns, 0.9 * kRestNs);
}

TEST_F(CudaLaunchTimerGpu, BreaksNoCaptureOfAnyThread) {
    timer_->launch(*ready_, nullptr, stream_, 1);
    CUstream captured = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(driver_->cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    timer_->launch(*ready_, nullptr, captured, 2);
    timer_->launch(*ready_, nullptr, stream_, 3);
    std::thread([&] { timer_->take(); }).join();
    CUgraph graph = nullptr;
    EXPECT_EQ(driver_->cuStreamEndCapture(captured, &graph), CUDA_SUCCESS);
    EXPECT_NE(graph, nullptr);
    ASSERT_EQ(driver_->cuStreamSynchronize(stream_), CUDA_SUCCESS);
    for (const LaunchTimer::Time& time : timer_->take()) {
        EXPECT_NE(time.tag, 2U) << "it was captured";
    }
    driver_->cuGraphDestroy(graph);
    driver_->cuStreamDestroy(captured);
}

}  // namespace
}  // namespace jitune::internal
