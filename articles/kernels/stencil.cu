/* jitune template
kernel = "stencil_register_cache"
backend = "cuda"
summary = "The mean of neighbours, step by step: shared memory and the register cache"
sizes = ["n"]
constraints = [
    "threads_per_block <= max_threads_per_block",
    "shared_bytes <= shared_bytes_per_block",
    "blocks <= 2147483647",
]
reproducibility = "iif(element = 'int32', 'exact', 'fixed')"

[types.element]
int32 = "int"
float32 = "float"

[types.radius]
range = "1..32"

[types.weighting]
mean = "jitune::Weighting::mean"

[types.boundary]
valid = "jitune::Boundary::valid"

[types.step]
shared = "jitune::SharedStencil"
register_cache = "jitune::RegisterCacheStencil"

# Outputs for each thread: the article's thread coarsening.
[types.outputs]
range = "1..16"

# The article's example has blocks of 32 warps.
[parameters]
threads_per_block = { values = [64, 128, 256, 512, 1024], default = 1024 }

[derived]
tile = "threads_per_block * outputs"
blocks = "ceil_div(max(1, n - 2 * radius), tile)"
shared_bytes = "iif(step = 'shared', (tile + 2 * radius) * element_bytes, 0)"

[arguments]
input = { access = "in", type = "element", count = "n" }
unweighted = { access = "value", type = "element", count = "1" }
n = { access = "scalar", type = "uint64", value = "n" }
output = { access = "out", type = "element", count = "max(1, n - 2 * radius)" }

[[launch]]
entry = "jitune::stencil_step"
template = ["element", "radius", "step", "outputs", "threads_per_block"]
arguments = ["input", "n", "output"]
block = "threads_per_block"
grid = "blocks"
shared_bytes = "shared_bytes"
*/
// The two kernels of M. Hamilis, E. Ben-Sasson, E. Tromer, M. Silberstein, "Register Cache: Caching
// for Warp-Centric CUDA Programs" (NVIDIA, 2017), which are of radius 1 and one output for each
// thread there, for any radius and coarsening. Mended: threads beyond the end do not leave before
// the barrier and the shuffles, and a mean of integers is that of the exact sum.
#include "jitune_stencil.h"

namespace jitune {

constexpr unsigned kEveryLane = 0xffffffffu;
constexpr int kWarpSize = 32;

/// A block fetches its inputs into shared memory, then each thread sums its own neighbours.
template <class T, int radius, int outputs, int threads>
struct SharedStencil {
    static __device__ void run(const T* a, Index size, T* b) {
        extern __shared__ __align__(8) unsigned char memory[];
        T* const s = reinterpret_cast<T*>(memory);
        constexpr int kTile = threads * outputs;
        const Index start_of_block = static_cast<Index>(blockIdx.x) * kTile;
        for (int i = threadIdx.x; i < kTile + 2 * radius; i += threads) {
            s[i] = start_of_block + i < size ? a[start_of_block + i] : T(0);
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < outputs; ++c) {
            const int local = threadIdx.x + c * threads;
            Accumulator<T, Weighting::mean> sum(0);
#pragma unroll
            for (int i = 0; i <= 2 * radius; ++i) {
                sum += s[local + i];
            }
            if (start_of_block + local < size - 2 * radius) {
                b[start_of_block + local] = finish<T, Weighting::mean, radius>(sum);
            }
        }
    }
};

/// Lane l keeps the warp's inputs l, l + 32, l + 64 … in registers; the others read them by
/// shuffles. What a lane publishes depends on whether its reader has wrapped around to it.
template <class T, int radius, int outputs, int threads>
struct RegisterCacheStencil {
    static __device__ void run(const T* a, Index size, T* b) {
        constexpr int kCached = outputs + (2 * radius + kWarpSize - 1) / kWarpSize;
        const int local = threadIdx.x % kWarpSize;
        const Index warp = static_cast<Index>(blockIdx.x) * (threads / kWarpSize) +
                           threadIdx.x / kWarpSize;
        const Index start_of_warp = warp * kWarpSize * outputs;
        T rc[kCached];
#pragma unroll
        for (int c = 0; c < kCached; ++c) {
            const int at = local + c * kWarpSize;
            const bool needed = at < kWarpSize * outputs + 2 * radius;
            rc[c] = needed && start_of_warp + at < size ? a[start_of_warp + at] : T(0);
        }
#pragma unroll
        for (int c = 0; c < outputs; ++c) {
            Accumulator<T, Weighting::mean> sum(0);
#pragma unroll
            for (int i = 0; i <= 2 * radius; ++i) {
                const int ahead = c + i / kWarpSize;
                const bool wrapped = i % kWarpSize != 0 && local < i % kWarpSize;
                const int next = ahead + 1 < kCached ? ahead + 1 : ahead;
                const T to_share = wrapped ? rc[next] : rc[ahead];
                sum += __shfl_sync(kEveryLane, to_share, (local + i) % kWarpSize);
            }
            const Index output = start_of_warp + local + c * kWarpSize;
            if (output < size - 2 * radius) {
                b[output] = finish<T, Weighting::mean, radius>(sum);
            }
        }
    }
};

template <class T, int radius, template <class, int, int, int> class Step, int outputs, int threads>
__global__ void __launch_bounds__(threads) stencil_step(const T* a, Index size, T* b) {
    Step<T, radius, outputs, threads>::run(a, size, b);
}

}  // namespace jitune
