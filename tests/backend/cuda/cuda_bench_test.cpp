// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "fake/fake_cuda_fixture.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class CudaBenchTest : public FakeCudaFixture {};

TEST_F(CudaBenchTest, TimesAChainPerLaunchButTheFirstOnes) {
    const auto program = load("k<1>");
    const std::vector<Launch> chain(5, plain_launch());
    for (const std::size_t untimed : {1U, 3U}) {
        std::size_t launched = 0;
        fake.on_launch = [&](FakeLaunch& launch) {
            launch.nanoseconds = launched++ < untimed ? 9e9 : 250000;
            return CUDA_SUCCESS;
        };
        const auto bench = device().make_bench();
        const auto timer = bench->timer(*program, chain, untimed, false);
        EXPECT_NEAR(std::get<double>(timer->sample(milliseconds(100))), 250000, 1) << untimed;
    }
}

TEST_F(CudaBenchTest, ReadsOtherMemoryBeforeEachColdSample) {
    constexpr int kCacheBytes = 60 << 20;
    fake.device(0).attributes[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = kCacheBytes;
    const auto program = load("k<1>");
    const std::vector<Launch> chain(2, plain_launch());
    const auto bench = device().make_bench();
    const auto timer = bench->timer(*program, chain, 1, true);
    for (int i = 0; i < 2; ++i) {
        EXPECT_GT(std::get<double>(timer->sample(milliseconds(100))), 0);
    }
    const auto launches = fake.launches();
    ASSERT_EQ(launches.size(), 6U);
    for (const std::size_t i : {0U, 3U}) {
        EXPECT_EQ(launches[i].expression, "jitune::read_flush");
        EXPECT_GE(launches[i].arguments.at(1) * 16, 4ULL * kCacheBytes);
    }
}

TEST_F(CudaBenchTest, SaysThatTheFlushNeedsMemory) {
    const auto program = load("k<1>");
    fake.device(0).memory_bytes = 1 << 20;
    const auto bench = device().make_bench();
    const std::vector<Launch> chain(2, plain_launch());
    const std::string message =
        expect_error(ErrorKind::unavailable, [&] { bench->timer(*program, chain, 1, true); });
    EXPECT_NE(message.find("flushes the L2 cache"), std::string::npos) << message;
}

TEST_F(CudaBenchTest, TakesNoTimeForATime) {
    const auto program = load("k<1>");
    for (const double nanoseconds : {0.0, -5.0, std::nan(""), HUGE_VAL}) {
        fake.on_launch = [&](FakeLaunch& launch) {
            launch.nanoseconds = nanoseconds;
            return CUDA_SUCCESS;
        };
        const std::vector<Launch> chain(2, plain_launch());
        const auto result =
            device().make_bench()->timer(*program, chain, 1, false)->sample(milliseconds(100));
        ASSERT_TRUE(std::holds_alternative<LaunchFailure>(result)) << nanoseconds;
        EXPECT_FALSE(std::get<LaunchFailure>(result).fatal);
    }
}

TEST_F(CudaBenchTest, RefusesAChainWithoutATimedLaunchOrOneBeforeIt) {
    const auto program = load("k<1>");
    const std::vector<Launch> two(2, plain_launch());
    expect_error(ErrorKind::usage, [&] { device().make_bench()->timer(*program, {}, 1, false); });
    expect_error(ErrorKind::usage, [&] { device().make_bench()->timer(*program, two, 2, false); });
    expect_error(ErrorKind::usage, [&] { device().make_bench()->timer(*program, two, 0, false); });
}

TEST_F(CudaBenchTest, GivesAHungKernelUpAndNeverWaitsForItAgain) {
    const auto program = load("k<1>");
    auto bench = device().make_bench();
    const auto memory = bench->allocate(100);
    fake.hang(true);
    const auto failure = bench->run(*program, plain_launch(), milliseconds(5));
    ASSERT_TRUE(failure.has_value());
    EXPECT_TRUE(failure->timed_out);
    EXPECT_TRUE(failure->fatal);
    bench.reset();
    EXPECT_EQ(fake.calls("cuStreamDestroy"), 0);
    expect_leaks_ = true;
}

}  // namespace
}  // namespace jitune::internal
