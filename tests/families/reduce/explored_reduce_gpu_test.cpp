// SPDX-License-Identifier: Apache-2.0
// Tries inside calls (Options::explore_share) on a GPU.
#include "fixtures/explored_calls.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "jitune/stencil.hpp"

namespace jitune::internal {
namespace {

class ExploredReduceGpu : public GpuFixture {};

TEST_F(ExploredReduceGpu, GivesRightResultsAndComparesEqualKernels) {
    ExploredCalls calls;
    const DeviceArray<float> values(*driver_, calls.values());
    const auto call = [&](Session& session) {
        ASSERT_TRUE(calls.is_right(
            tuned_reduce(values.data(), ExploredCalls::kCount, ReduceOp::sum, nullptr, session)));
    };
    auto session = calls.tuned(call);
    if (!calls.explore(*session, call)) {
        GTEST_SKIP() << "no tries: the winner is provisional, or nothing is near it";
    }
    session.reset();
    expect_sound(calls.ledger());
}

TEST_F(ExploredReduceGpu, TriesNothingInACapture) {
    ExploredCalls calls;
    const DeviceArray<float> in(*driver_, calls.values());
    const DeviceArray<float> out(*driver_, ExploredCalls::kCount);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    // Unlike a reduction it needs no work memory, which a captured call has to refuse.
    const auto call = [&](Session& session) {
        tuned_stencil(in.data(), ExploredCalls::kCount, out.data(), {.radius = 2}, stream, session);
    };
    auto session = calls.tuned(call);
    if (!calls.explore(*session, call)) {
        GTEST_SKIP() << "no tries: the winner is provisional, or nothing is near it";
    }
    const std::int64_t before = session->counters().explored;
    ASSERT_EQ(driver_->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    for (int i = 0; i < 5000; ++i) {
        call(*session);
    }
    CUgraph graph = nullptr;
    EXPECT_EQ(driver_->cuStreamEndCapture(stream, &graph), CUDA_SUCCESS)
        << "the capture did not stay alive";
    EXPECT_EQ(session->counters().explored, before);
    if (graph != nullptr) {
        driver_->cuGraphDestroy(graph);
    }
    session.reset();
    driver_->cuStreamDestroy(stream);
}

}  // namespace
}  // namespace jitune::internal
