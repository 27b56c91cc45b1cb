// SPDX-License-Identifier: Apache-2.0
// What kernels of one's own may use: constants, cooperative launches, CUB, two kernels in a row.
#include "fixtures/own_kernel_gpu_fixture.hpp"
#include "jitune/tuned_kernel.hpp"

namespace jitune::internal {
namespace {

const char* const kBlur = R"cu(/* jitune template
kernel = "blur"
backend = "cuda"
sizes = ["n"]
options = ["--fmad={fused}"]
defines = ["block"]
[parameters]
block = { values = [64, 256], default = 64 }
fused = { values = ["true", "false"], default = "true", type = "Fused" }
[arguments]
in = { access = "in", type = "float32", count = "n + 4" }
filter = { access = "in", type = "float32", count = "5", constant = "weights" }
out = { access = "out", type = "float32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }
[[launch]]
entry = "blur"
arguments = ["out", "in", "n"]
grid = "ceil_div(n, block)"
block = "block"
[reference]
host = "blur_plainly"
arguments = ["out", "in", "filter", "n"]
*/
#ifdef JITUNE_HOST
void blur_plainly(float* out, const float* in, const float* filter, long n) {
    for (long i = 0; i < n; ++i) {
        out[i] = 0;
        for (int k = 0; k < 5; ++k) out[i] += filter[k] * in[i + k];
    }
}
#endif
__constant__ float weights[5];
extern "C" __global__ void blur(float* out, const float* in, long long n) {
    const long long i = blockIdx.x * (long long)block + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 0; k < 5; ++k) sum += weights[k] * in[i + k];
    out[i] = sum;
}
)cu";

// The first kernel's blocks leave their sums in work memory, which the second adds up.
const char* const kPipeline = R"cu(/* jitune template
kernel = "total"
backend = "cuda"
sizes = ["n"]
[parameters]
block = { values = [128, 256], default = 128 }
items = { values = [1, 4], default = 1 }
[derived]
blocks = "ceil_div(n, block * items)"
[arguments]
in = { access = "in", type = "float32", count = "n" }
out = { access = "out", type = "float32", count = "1" }
sums = { access = "scratch", type = "float32", count = "blocks" }
n = { access = "scalar", type = "int64", value = "n" }
count = { access = "scalar", type = "int64", value = "blocks" }
[[launch]]
entry = "add"
template = ["block", "items"]
arguments = ["in", "sums", "n"]
grid = "blocks"
block = "block"
[[launch]]
entry = "add_up"
template = ["block"]
arguments = ["sums", "out", "count"]
block = "block"
[reference]
host = "add_plainly"
arguments = ["in", "out", "n"]
*/
#ifdef JITUNE_HOST
void add_plainly(const float* in, float* out, long n) {
    double sum = 0;
    for (long i = 0; i < n; ++i)
        sum += in[i];
    *out = sum;
}
#endif
#include <cub/block/block_reduce.cuh>
template <int kBlock>
__device__ float block_sum(float value) {
    using Reduce = cub::BlockReduce<float, kBlock>;
    __shared__ typename Reduce::TempStorage storage;
    return Reduce(storage).Sum(value);
}
template <int kBlock, int kItems>
__global__ void add(const float* in, float* sums, long long n) {
    const long long first = blockIdx.x * (long long)(kBlock * kItems) + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < kItems; ++k) {
        if (first + k * kBlock < n)
            sum += in[first + k * kBlock];
    }
    sum = block_sum<kBlock>(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}
template <int kBlock>
__global__ void add_up(const float* sums, float* out, long long count) {
    float sum = 0;
    for (long long i = threadIdx.x; i < count; i += kBlock)
        sum += sums[i];
    sum = block_sum<kBlock>(sum);
    if (threadIdx.x == 0)
        *out = sum;
}
)cu";

// All blocks write, wait for one another, and read what another has written.
const char* const kRotate = R"cu(/* jitune template
kernel = "rotate"
backend = "cuda"
sizes = ["n"]
[parameters]
block = { values = [128, 256], default = 128 }
[derived]
blocks = "sm_count"
[arguments]
in = { access = "in", type = "int32", count = "n" }
out = { access = "out", type = "int32", count = "n" }
passed = { access = "scratch", type = "int32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }
[[launch]]
entry = "rotate"
arguments = ["in", "out", "passed", "n"]
grid = "blocks"
block = "block"
cooperative = "1"
[reference]
host = "rotate_plainly"
arguments = ["in", "out", "n"]
*/
#ifdef JITUNE_HOST
void rotate_plainly(const int* in, int* out, long n) {
    for (long i = 0; i < n; ++i) out[i] = in[(i + n / 2) % n];
}
#endif
#include <cooperative_groups.h>
extern "C" __global__ void rotate(const int* in, int* out, int* passed, long long n) {
    const long long step = (long long)gridDim.x * blockDim.x;
    const long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    for (long long i = first; i < n; i += step) passed[i] = in[i];
    cooperative_groups::this_grid().sync();
    for (long long i = first; i < n; i += step) out[i] = passed[(i + n / 2) % n];
}
)cu";

class OwnFeaturesGpu : public OwnKernelGpuFixture {};

TEST_F(OwnFeaturesGpu, TunesAKernelThatReadsAConstant) {
    expect_all_right("blur.cu", kBlur, {100'003});
}

TEST_F(OwnFeaturesGpu, FillsTheConstantFromEachCall) {
    const TunedKernel blur(folder_.write("blur.cu", kBlur), {}, session_);
    const std::vector<float> in(1004, 1.0F);
    const DeviceArray<float> from(*driver_, in);
    for (const float weight : {1.0F, 3.0F}) {
        const DeviceArray<float> filter(*driver_, std::vector<float>(5, weight));
        const DeviceArray<float> to(*driver_, std::size_t{1000});
        blur.launch({1000}, {from.data(), filter.data(), to.data()});
        EXPECT_EQ(to.download(), std::vector<float>(1000, 5 * weight));
        const PreparedKernel prepared = blur.prepare({1000});
        prepared({from.data(), filter.data(), to.data()});
        EXPECT_EQ(to.download(), std::vector<float>(1000, 5 * weight));
    }
}

TEST_F(OwnFeaturesGpu, TunesOnACapturedCall) {
    const auto path = folder_.write("blur.cu", kBlur);
    const TunedKernel blur(path, {}, session_);
    const DeviceArray<float> from(*driver_, std::vector<float>(1004, 2.0F));
    const DeviceArray<float> filter(*driver_, std::vector<float>(5, 3.0F));
    const DeviceArray<float> to(*driver_, std::size_t{1000});
    blur.capture(folder_.path() / "capture");
    blur.launch({1000}, {from.data(), filter.data(), to.data()});
    Engine& engine = SessionAccess::engine(session_);
    const Kernel kernel = kernel_from_file(path, {}, folder_.path() / "capture");
    const Problem problem = kernel_problem(kernel.kernel_template, {1000}, {});
    EXPECT_EQ(kernel.workload->timed(problem).name, "the captured call");
    const TuneReport report = engine.tuner().tune({engine.device("cuda"), kernel, problem}, {});
    EXPECT_EQ(report.progress.failed, 0U);
}

TEST_F(OwnFeaturesGpu, TunesTwoKernelsInARowThatUseCub) {
    expect_all_right("total.cu", kPipeline, {1'000'003});
}

TEST_F(OwnFeaturesGpu, TunesAKernelWhoseBlocksWaitForOneAnother) {
    expect_all_right("rotate.cu", kRotate, {1'000'003});
}

}  // namespace
}  // namespace jitune::internal
