// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fake/fake_cuda_fixture.hpp"

namespace jitune::internal {
namespace {

class CudaLaunchTimerTest : public FakeCudaFixture {
protected:
    void SetUp() override {
        fake.make_current(fake.primary_context(0));
        program_ = load("k<1>");
        program_->prepare(plain_launch(), ready_);
        timer_ = device().make_launch_timer();
    }
    void TearDown() override {
        timer_.reset();
        ready_.reset();
        program_.reset();
        fake.make_current(nullptr);
        FakeCudaFixture::TearDown();
    }

    bool launch(CUstream stream, std::uint64_t tag = 7) {
        return timer_->launch(*ready_, nullptr, stream, tag);
    }
    std::size_t taken() { return timer_->take().size(); }

    std::shared_ptr<const Program> program_;
    std::unique_ptr<ReadyLaunch> ready_;
    std::unique_ptr<LaunchTimer> timer_;
};

TEST_F(CudaLaunchTimerTest, SaysWhatACallTookAndWaitsForNone) {
    EXPECT_TRUE(timer_->may_time(stream()));
    EXPECT_TRUE(launch(stream()));
    const std::vector<LaunchTimer::Time> times = timer_->take();
    ASSERT_EQ(times.size(), 1U);
    EXPECT_EQ(times[0].tag, 7U);
    EXPECT_NEAR(times[0].ns, 1000, 1);
    EXPECT_EQ(taken(), 0U) << "each once";
    EXPECT_EQ(fake.calls("cuStreamSynchronize"), 0);
}

TEST_F(CudaLaunchTimerTest, KeepsOutOfCaptures) {
    const CUstream captured = fake.make_stream();
    launch(stream());
    fake.begin_capture(captured);
    EXPECT_FALSE(launch(captured));
    EXPECT_EQ(fake.calls_during_capture(),
              (std::vector<std::string>{"cuStreamIsCapturing", "cuLaunchKernelEx"}));
    launch(stream());
    EXPECT_EQ(taken(), 2U) << "of the other stream";
    EXPECT_FALSE(timer_->may_time(captured));
    EXPECT_TRUE(fake.end_capture(captured)) << "nothing has broken it";
    EXPECT_EQ(fake.captured().size(), 1U);
}

TEST_F(CudaLaunchTimerTest, LeavesContextsOfTheAppAlone) {
    fake.make_current(fake.make_context(0));
    launch(fake.make_stream());
    fake.make_current(fake.primary_context(0));
    EXPECT_EQ(taken(), 0U);
    EXPECT_EQ(fake.launches().size(), 1U);
}

TEST_F(CudaLaunchTimerTest, TimesTheDefaultStreamWhereNoContextIsCurrent) {
    fake.make_current(nullptr);
    EXPECT_TRUE(timer_->may_time(nullptr));
    EXPECT_TRUE(launch(nullptr));
    EXPECT_EQ(taken(), 1U);
    EXPECT_EQ(fake.current(), nullptr);
}

TEST_F(CudaLaunchTimerTest, TimesNoMoreCallsThanItHasEventsFor) {
    fake.fail("cuEventElapsedTime", 1, CUDA_ERROR_NOT_READY, true);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(launch(stream()), i < 16);
    }
    EXPECT_EQ(fake.launches().size(), 100U);
    EXPECT_EQ(fake.calls("cuEventCreate"), 48);
    EXPECT_EQ(taken(), 0U);
    fake.mend();
    EXPECT_EQ(taken(), 16U);
    launch(stream());
    EXPECT_EQ(taken(), 1U) << "events are used again";
}

TEST_F(CudaLaunchTimerTest, AFailedLaunchThrowsAsWithoutAndIsNotTimed) {
    fake.fail("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    EXPECT_THROW(launch(stream()), Error);
    EXPECT_EQ(taken(), 0U);
    launch(stream());
    EXPECT_EQ(taken(), 1U);
}

TEST_F(CudaLaunchTimerTest, LaunchesWhereEventsFail) {
    for (const char* call : {"cuEventCreate", "cuEventRecordWithFlags", "cuStreamGetCtx"}) {
        fake.fail(call, 1, CUDA_ERROR_OUT_OF_MEMORY);
        EXPECT_FALSE(launch(stream())) << call;
    }
    EXPECT_EQ(fake.launches().size(), 3U);
    EXPECT_EQ(taken(), 0U);
}

}  // namespace
}  // namespace jitune::internal
