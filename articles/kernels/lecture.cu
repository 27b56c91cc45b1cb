/* jitune template
kernel = "reduce_lecture"
backend = "cuda"
summary = "The sum, step by step: the kernels of CUDA examples - Reduce analysed"
include = ["steps_types.toml"]
sizes = ["n"]
constraints = [
    "threads <= max_threads_per_block",
    "step NOT IN ('reduce0', 'reduce2') OR threads IN (64, 128, 256, 512, 1024)",
    "step <> 'reduce4' OR (256 <= threads AND threads <= 512 AND 256 <= any_blocks AND any_blocks <= 512)",
    "sm_blocks = 288 OR step = 'reduce1'",
    "power_blocks = 256 OR step = 'reduce2'",
    "any_blocks = 270 OR step IN ('reduce3', 'reduce4')",
    "last_threads <= max_threads_per_block",
]
reproducibility = "iif(element = 'int32', 'exact', 'fixed')"

[types.step]
reduce0 = "jitune::Reduce0"
reduce1 = "jitune::Reduce1"
reduce2 = "jitune::Reduce2"
reduce3 = "jitune::Reduce3"
reduce4 = "jitune::Reduce4"

# The article's blocks: a multiple of its SMs in reduce1, a power of two in reduce2, any number in
# reduce3 and reduce4. Those of reduce2 to reduce4 are also the threads of the second launch.
[parameters]
threads = { values = [64, 128, 192, 256, 320, 384, 512, 768, 1024], default = 256 }
sm_blocks = { values = [132, 264, 288, 528, 576, 1056, 1152, 2112], default = 288 }
power_blocks = { values = [64, 128, 256, 512, 1024], default = 256 }
any_blocks = { values = [132, 264, 270, 396, 512, 528, 540, 792, 1024], default = 270 }

[derived]
in_place = "step IN ('reduce0', 'reduce1')"
# reduce0: any powers of two; enough threads for the large halvings, one block for the last ones.
blocks = "iif(step = 'reduce0', 4096, iif(step = 'reduce1', sm_blocks, iif(step = 'reduce2', power_blocks, any_blocks)))"
fewer_blocks = "iif(step = 'reduce0', 64, 1)"
first_count = "iif(in_place, blocks * threads, blocks)"
last_count = "iif(step = 'reduce0', 1, iif(step = 'reduce1', threads, blocks))"
last_threads = "iif(in_place, 1, blocks)"

[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
work = { access = "scratch", type = "element", count = "iif(step = 'reduce0', max(n, first_count), first_count)" }
first_count = { access = "scalar", type = "uint64", value = "first_count" }
fewer_count = { access = "scalar", type = "uint64", value = "fewer_blocks * threads" }
last_count = { access = "scalar", type = "uint64", value = "last_count" }
result = { access = "out", type = "element", count = "1" }

[[launch]]
entry = "jitune::reduce_lecture"
template = ["element", "step"]
arguments = ["work", "values", "n"]
block = "threads"
grid = "blocks"
shared_bytes = "iif(in_place, 0, threads * element_bytes)"

[[launch]]
when = "in_place"
entry = "jitune::reduce_lecture"
template = ["element", "step"]
arguments = ["work", "work", "first_count"]
block = "threads"
grid = "fewer_blocks"

[[launch]]
when = "step = 'reduce0'"
entry = "jitune::reduce_lecture"
template = ["element", "step"]
arguments = ["work", "work", "fewer_count"]
block = "threads"
grid = "1"

[[launch]]
entry = "jitune::reduce_lecture"
template = ["element", "step"]
arguments = ["result", "work", "last_count"]
block = "last_threads"
grid = "1"
shared_bytes = "iif(in_place, 0, last_threads * element_bytes)"
*/
// The kernels of "CUDA 예제 - Reduce 예제 분석" (CUDA examples - Reduce analysed), which are those of
// the GPU programming course of Prof. Insung Ihm, Sogang University. Their indexes are ints, which
// overflow from 2^31 elements on; here they have 64 bits. reduce0 and reduce1 overwrite the
// caller's values; here they work in memory of their own.
#include "jitune_types.h"

namespace jitune {

extern __shared__ __align__(16) unsigned char dynamic_shared[];

__device__ __forceinline__ Index grid_thread() {
    return static_cast<Index>(blockDim.x) * blockIdx.x + threadIdx.x;
}
__device__ __forceinline__ Index grid_threads() {
    return static_cast<Index>(gridDim.x) * blockDim.x;
}

/// The smallest power of two that is not below n > 0.
__device__ __forceinline__ Index pow2ceil(Index n) {
    const Index pow2 = 1ull << (63 - __clzll(static_cast<long long>(n)));
    return n > pow2 ? pow2 << 1 : pow2;
}

/// Adds the upper half of what is left to the lower one, in global memory. The article launches
/// once for each halving of an N that must be a power of two (for another it loses elements). A
/// template has at most four launches, so here a launch makes all halvings in which no thread
/// needs what another one wrote: down to as many elements as the grid has threads, a power of
/// two; a single block goes on with barriers. The first halving fills up to a power of two.
template <class T>
struct Reduce0 {
    static __device__ void run(T* y, const T* x, Index n) {
        const Index tid = grid_thread();
        const Index threads = grid_threads();
        Index m = pow2ceil(n) / 2;
        m = m > threads ? m : threads;
        for (Index i = tid; i < m; i += threads) {
            y[i] = (i < n ? x[i] : T(0)) + (i + m < n ? x[i + m] : T(0));
        }
        for (m /= 2; m >= threads; m /= 2) {
            for (Index i = tid; i < m; i += threads) {
                y[i] += y[i + m];
            }
        }
        for (; gridDim.x == 1 && m > 0; m /= 2) {
            __syncthreads();
            if (tid < m) {
                y[tid] += y[tid + m];
            }
        }
    }
};

/// Each thread strides over the elements; then one block over the threads' sums, then one thread.
/// In the article every thread stores its sum into x, also behind N where N is small.
template <class T>
struct Reduce1 {
    static __device__ void run(T* y, const T* x, Index n) {
        T tsum = T(0);
        for (Index k = grid_thread(); k < n; k += grid_threads()) {
            tsum += x[k];
        }
        y[grid_thread()] = tsum;
    }
};

/// The strided sums of reduce2 to reduce4, each in its thread's place of the shared array.
template <class T>
__device__ __forceinline__ T* strided_sums(const T* x, Index n) {
    T* const tsum = reinterpret_cast<T*>(dynamic_shared);
    tsum[threadIdx.x] = T(0);
    for (Index k = grid_thread(); k < n; k += grid_threads()) {
        tsum[threadIdx.x] += x[k];
    }
    __syncthreads();
    return tsum;
}

/// Reduce1's strides, then halvings in shared memory. Blocks of a power of two only.
template <class T>
struct Reduce2 {
    static __device__ void run(T* y, const T* x, Index n) {
        T* const tsum = strided_sums(x, n);
        const unsigned id = threadIdx.x;
        for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
            if (id < k) {
                tsum[id] += tsum[id + k];
            }
            __syncthreads();
        }
        if (id == 0) {
            y[blockIdx.x] = tsum[0];
        }
    }
};

/// Reduce2 for blocks of any size: halvings from the next power of two.
template <class T>
struct Reduce3 {
    static __device__ void run(T* y, const T* x, Index n) {
        T* const tsum = strided_sums(x, n);
        const unsigned id = threadIdx.x;
        const auto block2 = static_cast<unsigned>(pow2ceil(blockDim.x));
        for (unsigned k = block2 / 2; k > 0; k >>= 1) {
            if (id < k && id + k < blockDim.x) {
                tsum[id] += tsum[id + k];
            }
            __syncthreads();
        }
        if (id == 0) {
            y[blockIdx.x] = tsum[0];
        }
    }
};

/// The halvings written out, for blocks of 256 to 512 threads; warp 0 alone from 32 on.
template <class T>
struct Reduce4 {
    static __device__ void run(T* y, const T* x, Index n) {
        T* const tsum = strided_sums(x, n);
        const unsigned id = threadIdx.x;
        if (id < 256 && id + 256 < blockDim.x) {
            tsum[id] += tsum[id + 256];
        }
        __syncthreads();
        if (id < 128) {
            tsum[id] += tsum[id + 128];
        }
        __syncthreads();
        if (id < 64) {
            tsum[id] += tsum[id + 64];
        }
        __syncthreads();
        if (id < 32) {
            tsum[id] += tsum[id + 32];
        }
        __syncthreads();
        if (id < 16) {
            tsum[id] += tsum[id + 16];
        }
        __syncwarp();
        if (id < 8) {
            tsum[id] += tsum[id + 8];
        }
        __syncwarp();
        if (id < 4) {
            tsum[id] += tsum[id + 4];
        }
        __syncwarp();
        if (id < 2) {
            tsum[id] += tsum[id + 2];
        }
        __syncwarp();
        if (id == 0) {
            y[blockIdx.x] = tsum[0] + tsum[1];
        }
    }
};

template <class T, template <class> class Step>
__global__ void __launch_bounds__(1024) reduce_lecture(T* y, const T* x, Index n) {
    Step<T>::run(y, x, n);
}

}  // namespace jitune
