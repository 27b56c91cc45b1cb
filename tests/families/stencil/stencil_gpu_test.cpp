// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "dispatch/engine.hpp"
#include "dispatch/session_access.hpp"
#include "families/stencil/stencil_kernel.hpp"
#include "fixtures/expect_error.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "fixtures/stencil_case.hpp"

namespace jitune::internal {
namespace {

class StencilGpu : public GpuFixture {
protected:
    template <class T>
    void expect_right(const Stencil& stencil, std::int64_t n, std::size_t in_offset,
                      std::size_t out_offset) {
        const std::vector<T> input = stencil_inputs<T>(n);
        const DeviceArray<T> from(*driver_, input, in_offset);
        const auto outputs = static_cast<std::size_t>(stencil_outputs(n, stencil));
        const DeviceArray<T> to(*driver_, outputs, out_offset);
        tuned_stencil(from.data(), n, to.data(), stencil, nullptr, session_);
        EXPECT_EQ(judge_stencil(input, stencil, to.download()), "")
            << to_string(kElementType<T>) << " " << stencil_text(stencil, n) << " offsets "
            << in_offset << " " << out_offset;
    }

    template <class T>
    void expect_right_everywhere(int radius, bool mean, bool weighted) {
        const auto weights = stencil_weights<T>(radius);
        for (const Boundary boundary : kBoundaries) {
            Stencil stencil{.radius = radius, .mean = mean, .boundary = boundary};
            if (weighted) {
                stencil.weights = weights;
            }
            for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2} * radius,
                                         std::int64_t{2} * radius + 1, std::int64_t{40'009}}) {
                expect_right<T>(stencil, n, 0, 0);
            }
            expect_right<T>(stencil, 40'009, 1, 0);
            expect_right<T>(stencil, 40'009, 0, 3);
        }
    }

    /// At most `most` configurations of each of some problems pass every check.
    void expect_configurations_right(std::int64_t n, std::size_t most) {
        Device& cuda = SessionAccess::engine(session_).device("cuda");
        const std::vector<double> weights(33, 1.0);
        const Stencil uniform{.radius = 3, .mean = true, .boundary = Boundary::clamp};
        const Stencil weighted{.radius = 16, .weights = weights, .boundary = Boundary::wrap};
        for (const auto& [element, stencil] :
             {std::pair{ElementType::float32, uniform}, std::pair{ElementType::float64, weighted},
              std::pair{ElementType::int32, Stencil{.radius = 25}}}) {
            for (const std::size_t alignment : {std::size_t{16}, bytes_of(element)}) {
                const Problem problem = stencil_problem({element, stencil, n}, alignment);
                const TuneReport report = SessionAccess::engine(session_).tuner().tune(
                    {cuda, stencil_kernel(PlatformKind::cuda), problem},
                    {.strategy = "random", .max_evaluations = most});
                EXPECT_GE(report.measurements.size(), std::min<std::size_t>(most, 20U));
                for (const Measurement& one : report.measurements) {
                    EXPECT_EQ(one.verdict, Verdict::timed)
                        << one.configuration << ": " << one.reason;
                }
            }
        }
    }
};

TEST_F(StencilGpu, IsRightForTypesBoundariesSizesAndOffsets) {
    expect_right_everywhere<float>(1, false, false);
    expect_right_everywhere<float>(25, true, false);
    expect_right_everywhere<float>(8, false, true);
    expect_right_everywhere<double>(32, false, true);
    expect_right_everywhere<double>(5, true, false);
    expect_right_everywhere<std::int32_t>(2, true, false);
    expect_right_everywhere<std::int32_t>(32, false, true);
}

/// Of data beyond the L2 cache, for which all loads and stores are worth trying.
TEST_F(StencilGpu, ManyConfigurationsOfLargeArraysAreRight) {
    expect_configurations_right(1 << 23, 60);
}

/// Apart, since tools that look for races take long.
TEST_F(StencilGpu, ConfigurationsOfSmallArraysAreRight) {
    expect_configurations_right(100'003, 25);
}

TEST_F(StencilGpu, IsCapturedIntoAGraphOnceItIsKnown) {
    const std::vector<float> input = stencil_inputs<float>(10'000);
    const Stencil stencil{.radius = 4, .boundary = Boundary::zero};
    const DeviceArray<float> from(*driver_, input);
    const DeviceArray<float> to(*driver_, input.size());
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    const auto call = [&] {
        tuned_stencil(from.data(), 10'000, to.data(), stencil, stream, session_);
    };
    const auto capture = [&] {
        return driver_->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    };
    CUgraph graph = nullptr;
    ASSERT_EQ(capture(), CUDA_SUCCESS);
    expect_error(ErrorKind::not_prepared, "tuned_stencil", call);
    ASSERT_EQ(driver_->cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    driver_->cuGraphDestroy(graph);

    call();
    ASSERT_EQ(driver_->cuStreamSynchronize(stream), CUDA_SUCCESS);
    to.upload(std::vector<float>(input.size(), -1.0F));
    ASSERT_EQ(capture(), CUDA_SUCCESS);
    call();
    ASSERT_EQ(driver_->cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    CUgraphExec exec = nullptr;
    ASSERT_EQ(driver_->cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver_->cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    ASSERT_EQ(driver_->cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(judge_stencil(input, stencil, to.download()), "");
    driver_->cuGraphExecDestroy(exec);
    driver_->cuGraphDestroy(graph);
    driver_->cuStreamDestroy(stream);
}

TEST_F(StencilGpu, TakesHostMemoryThereAndBack) {
    Options options = quick_options(TunePolicy::template_default);
    options.device = "cuda";
    Session session(options);
    const std::vector<double> input = stencil_inputs<double>(5003);
    const Stencil stencil{.radius = 6, .mean = true, .boundary = Boundary::wrap};
    EXPECT_EQ(judge_stencil(input, stencil, tuned_stencil(input, stencil, session)), "");
}

}  // namespace
}  // namespace jitune::internal
