// SPDX-License-Identifier: Apache-2.0
// Calls on host memory with Options::device = "cuda", on the fake driver: chunks, memory that is
// used again, and what is told when something fails.

#include <numeric>

#include "backend/host/host_platform.hpp"
#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "fake/fake_cuda.hpp"
#include "families/families.hpp"
#include "fixtures/await_tunings.hpp"
#include "fixtures/expect_error.hpp"
#include "jitune/stencil.hpp"

namespace jitune::internal {
namespace {

class HostPipelineCuda : public testing::Test {
protected:
    HostPipelineCuda() {
        fake_.device(0).memory_bytes = std::size_t{1} << 30;
        fake_.on_launch = [](FakeLaunch& launch) {
            const auto* const input = reinterpret_cast<const double*>(launch.arguments.at(0));
            auto* const output = reinterpret_cast<double*>(launch.arguments.at(3));
            for (std::uint64_t i = 0; i + 2 < launch.arguments.at(2); ++i) {
                output[i] = input[i] + input[i + 1] + input[i + 2];
            }
            return CUDA_SUCCESS;
        };
        std::iota(input_.begin(), input_.end(), 1.0);
        start("cuda", TunePolicy::template_default);
    }

    void start(const char* device, TunePolicy policy,
               std::chrono::milliseconds budget = std::chrono::milliseconds(300)) {
        session_.reset();
        Options options;
        options.database.clear();
        options.log_level = LogLevel::off;
        options.on_miss = policy;
        options.budget = budget;
        options.device = device;
        std::vector<std::unique_ptr<Platform>> platforms;
        platforms.push_back(make_cuda_platform(fake_.tables(), Log(LogLevel::off)));
        platforms.push_back(make_host_platform(Log(LogLevel::off)));
        session_ = SessionAccess::make(
            std::make_unique<Engine>(options, std::move(platforms), families()));
    }
    void TearDown() override {
        session_.reset();
        EXPECT_EQ(fake_.violations(), std::vector<std::string>{});
        EXPECT_EQ(fake_.leaks(), std::vector<std::string>{});
    }

    void expect_right() {
        const std::vector<double> output =
            tuned_stencil(input_, {.boundary = Boundary::wrap}, *session_);
        const auto n = static_cast<double>(input_.size());
        ASSERT_EQ(output.size(), input_.size());
        EXPECT_EQ(output.front(), n + 1 + 2);
        EXPECT_EQ(output.back(), n - 1 + n + 1);
        for (std::size_t i = 1; i + 1 < output.size(); ++i) {
            ASSERT_EQ(output[i], 3 * input_[i]) << i;
        }
    }
    int calls(const char* function) { return fake_.calls(function); }

    FakeCuda fake_;
    std::unique_ptr<Session> session_;
    std::vector<double> input_ = std::vector<double>(1'200'000);
};

TEST_F(HostPipelineCuda, WorksChunkByChunkAndUsesItsMemoryAgain) {
    expect_right();
    EXPECT_GE(fake_.launches().size(), 3U) << "of 4 MiB each";
    const int streams = calls("cuStreamCreate");
    EXPECT_LE(streams, 4);
    const int allocations = calls("cuMemAlloc") + calls("cuMemHostAlloc");
    for (int i = 0; i < 5; ++i) {
        expect_right();
    }
    EXPECT_LE(calls("cuStreamCreate"), 4) << "a thread for each slot may come later";
    EXPECT_LE(calls("cuMemAlloc") + calls("cuMemHostAlloc"), std::max(allocations, 4 * 6));
}

TEST_F(HostPipelineCuda, UnderAutoTheTemplatesDefaultIsTheHost) {
    start("auto", TunePolicy::template_default);
    expect_right();
    EXPECT_EQ(fake_.launches().size(), 0U);
    EXPECT_EQ(calls("cuMemHostAlloc"), 0);
}

TEST_F(HostPipelineCuda, UnderAutoTheFirstCallTunesAndLaterOnesDoNot) {
    input_.resize(100'000);
    // A busy machine tries the default alone in a short time.
    for (int budget = 300; calls("cuMemHostAlloc") == 0 && budget <= 30'000; budget *= 10) {
        start("auto", TunePolicy::now, std::chrono::milliseconds(budget));
        expect_right();
        await_tunings(*session_);
    }
    const Counters first = session_->counters();
    // One more for each chunk length that the ranges of a busy machine leave unsure.
    EXPECT_GE(first.tunings, 4) << "the host's kernels of the call and of a chunk, the GPU's, and "
                                   "where to run";
    EXPECT_GT(calls("cuMemHostAlloc"), 0) << "placements on the GPU were tried";
    expect_right();
    EXPECT_EQ(session_->counters().tunings, first.tunings);
}

TEST_F(HostPipelineCuda, LeavesTheCallersContextAlone) {
    const CUcontext own = fake_.make_context(0);
    fake_.make_current(own);
    expect_right();
    EXPECT_EQ(fake_.current(), own);
    fake_.make_current(nullptr);
}

TEST_F(HostPipelineCuda, TakesSmallerChunksWhereMemoryIsShort) {
    fake_.fail("cuMemHostAlloc", 2, CUDA_ERROR_OUT_OF_MEMORY);
    expect_right();
    EXPECT_GE(fake_.launches().size(), 6U);
    session_.reset();
}

TEST_F(HostPipelineCuda, SaysWhatToDoWhereThereIsNoMemoryAtAll) {
    input_.resize(1000);
    fake_.fail("cuMemHostAlloc", 1, CUDA_ERROR_OUT_OF_MEMORY, true);
    expect_error(ErrorKind::unavailable, "limit of locked memory", [&] { expect_right(); });
    fake_.mend();
    expect_right();
}

TEST_F(HostPipelineCuda, AFailureEndsTheCallAndNotTheSession) {
    for (const char* function : {"cuStreamCreate", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
                                 "cuLaunchKernelEx", "cuStreamSynchronize"}) {
        SCOPED_TRACE(function);
        fake_.fail(function, 1, CUDA_ERROR_INVALID_VALUE);
        expect_error(ErrorKind::device, function, [&] { expect_right(); });
        fake_.mend();
        expect_right();
    }
}

}  // namespace
}  // namespace jitune::internal
