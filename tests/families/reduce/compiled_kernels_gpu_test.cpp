// SPDX-License-Identifier: Apache-2.0
// The kernels for GPUs that come compiled with the library, on a GPU.
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "dispatch/session_access.hpp"
#include "families/compiled/compiled_kernels.hpp"
#include "families/reduce/reduce_kernel.hpp"
#include "families/reduce/reduce_types.hpp"
#include "fixtures/gpu_fixture.hpp"
#include "jitune/reduce.hpp"
#include "tuning/measure/rig.hpp"
#include "tuning/task.hpp"
#include "types/element_names.hpp"

namespace jitune::internal {
namespace {

class CompiledKernelsGpu : public GpuFixture {
protected:
    void SetUp() override {
        GpuFixture::SetUp();
        if (!IsSkipped() && !has_image()) {
            GTEST_SKIP() << "built without kernels for this GPU: see JITUNE_CUDA_ARCHITECTURES";
        }
    }

    Device& device() { return SessionAccess::engine(session_).device("cuda:0"); }

private:
    bool has_image() {
        for (const auto* images : compiled_images) {
            for (const CompiledImage& image : *images) {
                if (image.compute_capability ==
                    device().info().attributes.at("compute_capability")) {
                    return true;
                }
            }
        }
        return false;
    }
};

constexpr std::array<std::int64_t, 5> kSizes{1, 5'003, 300'007, 2'000'003, 30'000'001};

TEST_F(CompiledKernelsGpu, AreTheDefaultsOfCommonWholeArraysAndRight) {
    const Kernel& kernel = reduce_kernel(ReduceKind::all, PlatformKind::cuda);
    int count = 0;
    // The common ones; others are compiled in their first call.
    for (const ElementType element :
         {ElementType::int32, ElementType::int64, ElementType::float16, ElementType::bfloat16,
          ElementType::float32, ElementType::float64}) {
        for (const ReduceOp operation : {ReduceOp::sum, ReduceOp::mean, ReduceOp::min,
                                         ReduceOp::max, ReduceOp::arg_min, ReduceOp::arg_max}) {
            for (const ElementType result : results_of(element, operation)) {
                const std::int64_t n = kSizes.at(static_cast<std::size_t>(count++) % kSizes.size());
                const Task task{
                    device(), kernel,
                    reduce_problem({element, result, operation, detail::ReduceShape::all(n)})};
                SCOPED_TRACE(task.name());
                const Configuration standard = task.default_configuration();
                const auto binary = compiled_kernel(device().info(), task.instance(standard));
                ASSERT_TRUE(binary) << task.instance(standard).expressions.front();
                Rig rig(device(), *kernel.workload, task.problem, true, Log(LogLevel::off));
                const auto failure = rig.check(*device().load(*binary), task.launch_rule(standard));
                EXPECT_FALSE(failure) << failure->reason;
            }
        }
    }
}

TEST_F(CompiledKernelsGpu, AnswerWhereNothingIsTunedWithoutACompiler) {
    const DeviceArray<float> ones(*driver_, std::vector<float>(1 << 21, 1));
    EXPECT_EQ(tuned_reduce(ones.data(), 1 << 21, ReduceOp::sum, nullptr, session_), 1 << 21);
    EXPECT_EQ(session_.counters().compiles, 0);
}

}  // namespace
}  // namespace jitune::internal
