// SPDX-License-Identifier: Apache-2.0
// The C interface on a GPU.
#include <cstdint>
#include <numeric>
#include <vector>

#include "fixtures/gpu_fixture.hpp"
#include "jitune/jitune.h"

namespace jitune::internal {
namespace {

class CCallsGpu : public GpuFixture {
protected:
    void SetUp() override {
        GpuFixture::SetUp();
        if (IsSkipped()) {
            return;
        }
        jitune_options* options = nullptr;
        ASSERT_EQ(jitune_options_create(&options), JITUNE_OK);
        jitune_options_set(options, "database", "none");
        jitune_options_set(options, "on_miss", "default");
        ASSERT_EQ(jitune_session_create(options, &c_session_), JITUNE_OK) << jitune_last_message();
        jitune_options_destroy(options);
        std::iota(host_.begin(), host_.end(), 1);
    }
    void TearDown() override {
        jitune_session_destroy(c_session_);
        GpuFixture::TearDown();
    }

    jitune_session* c_session_ = nullptr;
    std::vector<std::int32_t> host_ = std::vector<std::int32_t>(10'000);
};

TEST_F(CCallsGpu, ReducesAndWaits) {
    const DeviceArray<std::int32_t> in(*driver_, host_);
    const jitune_reduction sum = jitune_reduction_of(JITUNE_INT32, JITUNE_SUM, 10'000);
    std::int32_t value = 0;
    ASSERT_EQ(jitune_reduce_wait(c_session_, &sum, in.data(), &value, nullptr), JITUNE_OK)
        << jitune_last_message();
    EXPECT_EQ(value, 50'005'000);
}

TEST_F(CCallsGpu, ReducesRowsOnAStream) {
    const DeviceArray<std::int32_t> in(*driver_, host_);
    const DeviceArray<std::int32_t> out(*driver_, 100);
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    jitune_reduction maxima = jitune_reduction_of(JITUNE_INT32, JITUNE_MAX, 100);
    maxima.shape = JITUNE_ROWS;
    maxima.outer = 100;
    EXPECT_EQ(jitune_reduce(c_session_, &maxima, in.data(), nullptr, out.data(), stream), JITUNE_OK)
        << jitune_last_message();
    EXPECT_EQ(driver_->cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(out.download()[0], 100);
    EXPECT_EQ(out.download()[99], 10'000);
    driver_->cuStreamDestroy(stream);
}

TEST_F(CCallsGpu, CapturesAPreparedHandle) {
    const DeviceArray<std::int32_t> in(*driver_, host_);
    const DeviceArray<std::int32_t> out(*driver_, 1);
    const jitune_reduction sum = jitune_reduction_of(JITUNE_INT32, JITUNE_SUM, 10'000);
    jitune_prepared* prepared = nullptr;
    ASSERT_EQ(jitune_prepare_reduction(c_session_, &sum, "cuda:0", &prepared), JITUNE_OK)
        << jitune_last_message();
    CUstream stream = nullptr;
    ASSERT_EQ(driver_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(driver_->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    EXPECT_EQ(jitune_launch(prepared, in.data(), nullptr, out.data(), stream), JITUNE_OK)
        << jitune_last_message();
    CUgraph graph = nullptr;
    ASSERT_EQ(driver_->cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    CUgraphExec executable = nullptr;
    ASSERT_EQ(driver_->cuGraphInstantiateWithFlags(&executable, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(driver_->cuGraphLaunch(executable, stream), CUDA_SUCCESS);
    EXPECT_EQ(driver_->cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(out.download()[0], 50'005'000);
    driver_->cuGraphExecDestroy(executable);
    driver_->cuGraphDestroy(graph);
    driver_->cuStreamDestroy(stream);
    jitune_prepared_destroy(prepared);
}

TEST_F(CCallsGpu, ComputesFormulas) {
    const DeviceArray<std::int32_t> x(*driver_, host_);
    const DeviceArray<std::int32_t> y(*driver_, 10'000);
    const DeviceArray<std::int32_t> highest(*driver_, 1);
    jitune_formula* formula = nullptr;
    ASSERT_EQ(jitune_formula_create(c_session_, "m = max(x); y[i] = m - x", nullptr, 0, &formula),
              JITUNE_OK)
        << jitune_last_message();
    const jitune_formula_argument input = jitune_named("x", jitune_array(JITUNE_INT32, x.data()));
    const jitune_formula_argument outputs[] = {
        jitune_named("m", jitune_array(JITUNE_INT32, highest.data())),
        jitune_named("y", jitune_array(JITUNE_INT32, y.data()))};
    EXPECT_EQ(jitune_formula_launch(formula, &input, 1, jitune_flat(10'000), outputs, 2, nullptr),
              JITUNE_OK)
        << jitune_last_message();
    EXPECT_EQ(driver_->cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(highest.download()[0], 10'000);
    EXPECT_EQ(y.download()[0], 9'999);
    EXPECT_EQ(y.download()[9'999], 0);
    jitune_formula_destroy(formula);
}

TEST_F(CCallsGpu, AppliesStencilsAndEntropies) {
    const DeviceArray<std::int32_t> in(*driver_, host_);
    const DeviceArray<std::int32_t> sums(*driver_, 10'000);
    const jitune_stencil stencil{JITUNE_INT32, 10'000, 1, nullptr, 0, JITUNE_VALID};
    ASSERT_EQ(jitune_apply_stencil(c_session_, &stencil, in.data(), sums.data(), nullptr),
              JITUNE_OK)
        << jitune_last_message();
    const DeviceArray<std::uint8_t> levels(*driver_, std::vector<std::uint8_t>(10'000, 3));
    const DeviceArray<float> entropies(*driver_, std::vector<float>(10'000, -1));
    const jitune_entropy entropy = jitune_entropy_of(JITUNE_UINT8, 100, 100);
    ASSERT_EQ(
        jitune_compute_entropy(c_session_, &entropy, levels.data(), entropies.data(), nullptr),
        JITUNE_OK)
        << jitune_last_message();
    EXPECT_EQ(driver_->cuStreamSynchronize(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(sums.download()[0], 6);
    EXPECT_EQ(entropies.download()[5050], 0);
}

}  // namespace
}  // namespace jitune::internal
