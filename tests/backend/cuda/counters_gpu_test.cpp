// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "backend/cuda/driver/cuda_platform.hpp"
#include "jitune/error.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

const char* const kCopyKernel = R"(
__global__ void copy(float4* to, const float4* from) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}
)";
constexpr std::size_t kCopiedBytes = std::size_t{64} << 20;
constexpr std::uint32_t kCopyThreads = 256;

class CountersGpu : public ::testing::Test {
protected:
    void SetUp() override {
        platform_ = make_cuda_platform(Log(LogLevel::warning));
        if (platform_->device_count() == 0) {
            GTEST_SKIP() << platform_->missing();
        }
        Device& device = platform_->device(0);
        const Instance instance{{"copy"}};
        program_ = device.load(std::get<Binary>(
            device.compile({"counters_test.cu", kCopyKernel, {}}, {&instance, 1}).front()));
        bench_ = device.make_bench();
        from_ = bench_->allocate(kCopiedBytes);
        to_ = bench_->allocate(kCopiedBytes);
        bench_->fill(from_->data(), std::byte{1}, kCopiedBytes);
        bench_->fill(to_->data(), std::byte{2}, kCopiedBytes);
    }

    /// So many copies.
    [[nodiscard]] Launch launch_of(std::size_t kernels) const {
        Launch launch{};
        launch.step_count = kernels;
        for (std::size_t i = 0; i < kernels; ++i) {
            launch.steps[i].grid = {static_cast<std::uint32_t>(kCopiedBytes / 16 / kCopyThreads), 1,
                                    1};
            launch.steps[i].block = {kCopyThreads, 1, 1};
            launch.steps[i].argument_count = 2;
            launch.steps[i].arguments = {0, 1};
        }
        launch.cells = {reinterpret_cast<std::uintptr_t>(to_->data()),
                        reinterpret_cast<std::uintptr_t>(from_->data())};
        return launch;
    }

    /// Fills values_, by name; skips the test where the counters cannot be read.
    void read(std::size_t kernels) {
        const Launch launch = launch_of(kernels);
        const auto failure = bench_->run(*program_, launch, milliseconds(10000));
        ASSERT_FALSE(failure.has_value()) << failure->reason;
        const CounterOutcome outcome = bench_->counters(*program_, launch);
        if (const auto* reason = std::get_if<std::string>(&outcome)) {
            GTEST_SKIP() << *reason;
        }
        for (const CounterValue& value : std::get<std::vector<CounterValue>>(outcome)) {
            values_[value.name] = value.value;
            RecordProperty(value.name, std::to_string(value.value) + " " + value.unit);
        }
    }

    std::unique_ptr<Platform> platform_;
    std::shared_ptr<const Program> program_;
    std::unique_ptr<Bench> bench_;
    std::unique_ptr<DeviceMemory> from_, to_;
    std::map<std::string, double> values_;
};

TEST_F(CountersGpu, ShowThatACopyIsBoundByMemory) {
    read(1);
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    EXPECT_GT(values_.at("duration"), 0);
    EXPECT_GT(values_.at("dram_throughput"), 20);
    EXPECT_GT(values_.at("occupancy"), 0);
    EXPECT_LE(values_.at("occupancy"), 100);
    EXPECT_NEAR(values_.at("dram_read"), kCopiedBytes, 0.2 * kCopiedBytes);
    EXPECT_TRUE(bench_->equal(to_->data(), from_->data(), kCopiedBytes));
}

TEST_F(CountersGpu, AddTheKernelsOfALaunch) {
    read(2);
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    EXPECT_NEAR(values_.at("dram_read"), 2 * kCopiedBytes, 0.2 * 2 * kCopiedBytes);
    EXPECT_GT(values_.at("dram_throughput"), 20);
    EXPECT_LE(values_.at("occupancy"), 100);
}

TEST_F(CountersGpu, LeaveTheBenchAbleToTime) {
    read(1);
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    const std::vector<Launch> chain(4, launch_of(1));
    const auto timer = bench_->timer(*program_, chain, 1, true);
    for (int i = 0; i < 3; ++i) {
        const auto sample = timer->sample(milliseconds(10000));
        ASSERT_TRUE(std::holds_alternative<double>(sample))
            << std::get<LaunchFailure>(sample).reason;
        EXPECT_GT(std::get<double>(sample), 0);
    }
    read(1);
    EXPECT_GT(values_.at("dram_throughput"), 20) << "and to count again";
}

}  // namespace
}  // namespace jitune::internal
