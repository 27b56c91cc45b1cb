/* jitune template
kernel = "reduce_study_notes_tree"
backend = "cuda"
summary = "The sum, step by step: kernels 0 to 6 of [CUDA study notes] Reduce operator optimisation"
include = ["steps_types.toml"]
sizes = ["n"]
constraints = [
    "block <= max_threads_per_block",
    "num_per_thread = 64 OR step = 'v6'",
    "blocks_1 <= 2147483647",
    "blocks_4 = 1",
]
reproducibility = "iif(element = 'int32', 'exact', 'fixed')"

[types.step]
v0 = "jitune::V0"
v1 = "jitune::V1"
v1_5 = "jitune::V1_5"
v2 = "jitune::V2"
v3 = "jitune::V3"
v4 = "jitune::V4"
v4_1 = "jitune::V4_1"
v4_2 = "jitune::V4_2"
v5 = "jitune::V5"
v6 = "jitune::V6"

# The article's values are the defaults. NUM_PER_THREAD is what 2048 blocks leave to a thread of
# its 2^25 elements.
[parameters]
block = { values = [64, 128, 256, 512, 1024], default = 256 }
num_per_thread = { values = [4, 8, 16, 32, 64, 128], default = 64 }

[derived]
per_block = "block * iif(step IN ('v0', 'v1', 'v1_5', 'v2'), 1, iif(step = 'v6', num_per_thread, 2))"
blocks_1 = "ceil_div(n, per_block)"
blocks_2 = "ceil_div(blocks_1, per_block)"
blocks_3 = "ceil_div(blocks_2, per_block)"
blocks_4 = "ceil_div(blocks_3, per_block)"

[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
partials_1 = { access = "scratch", type = "element", count = "blocks_1" }
partials_2 = { access = "scratch", type = "element", count = "blocks_2" }
partials_3 = { access = "scratch", type = "element", count = "blocks_3" }
blocks_1 = { access = "scalar", type = "uint64", value = "blocks_1" }
blocks_2 = { access = "scalar", type = "uint64", value = "blocks_2" }
blocks_3 = { access = "scalar", type = "uint64", value = "blocks_3" }
result = { access = "out", type = "element", count = "1" }

[[launch]]
entry = "jitune::reduce_study_notes_tree"
template = ["element", "step", "block", "num_per_thread"]
arguments = ["values", "n", "partials_1", "result"]
block = "block"
grid = "blocks_1"

[[launch]]
when = "blocks_1 > 1"
entry = "jitune::reduce_study_notes_tree"
template = ["element", "step", "block", "num_per_thread"]
arguments = ["partials_1", "blocks_1", "partials_2", "result"]
block = "block"
grid = "blocks_2"

[[launch]]
when = "blocks_2 > 1"
entry = "jitune::reduce_study_notes_tree"
template = ["element", "step", "block", "num_per_thread"]
arguments = ["partials_2", "blocks_2", "partials_3", "result"]
block = "block"
grid = "blocks_3"

[[launch]]
when = "blocks_3 > 1"
entry = "jitune::reduce_study_notes_tree"
template = ["element", "step", "block", "num_per_thread"]
arguments = ["partials_3", "blocks_3", "partials_3", "result"]
block = "block"
grid = "1"
*/
// The kernels of "[CUDA 学习笔记] Reduce 算子优化" ([CUDA study notes] Reduce operator optimisation),
// that are M. Harris's, "Optimizing Parallel Reduction in CUDA"; study_notes_shuffle.cu has the
// others. They read a whole block's elements whatever n is; here what lies behind n counts as 0.
// As the article says, a launch leaves one partial sum per block and is repeated on those until
// one is left.
#include "jitune_types.h"

namespace jitune {

template <class T>
__device__ __forceinline__ T element(const T* values, Index n, Index index) {
    return index < n ? values[index] : T(0);
}

/// The index of this thread's first element, where each block has `per_thread` for a thread.
__device__ __forceinline__ Index first_index(unsigned per_thread = 1) {
    return static_cast<Index>(blockIdx.x) * (blockDim.x * per_thread) + threadIdx.x;
}

/// Kernel 0, baseline: a tree in shared memory over neighbours at growing distance. The active
/// threads are far apart, and the remainder is costly.
template <class T, int block, int>
struct V0 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        const unsigned tid = threadIdx.x;
        sdata[tid] = element(values, n, first_index());
        __syncthreads();
        for (unsigned s = 1; s < blockDim.x; s *= 2) {
            if (tid % (2 * s) == 0) {
                sdata[tid] += sdata[tid + s];
            }
            __syncthreads();
        }
        return sdata[0];
    }
};

/// Kernel 1, interleaved addressing: the first threads are the active ones, at the price of bank
/// conflicts.
template <class T, int block, int>
struct V1 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        const unsigned tid = threadIdx.x;
        sdata[tid] = element(values, n, first_index());
        __syncthreads();
        for (unsigned s = 1; s < blockDim.x; s *= 2) {
            const unsigned index = 2 * s * tid;
            if (index < blockDim.x) {
                sdata[index] += sdata[index + s];
            }
            __syncthreads();
        }
        return sdata[0];
    }
};

/// Kernel 1.5, the remainder replaced: kernel 0 with a mask.
template <class T, int block, int>
struct V1_5 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        const unsigned tid = threadIdx.x;
        sdata[tid] = element(values, n, first_index());
        __syncthreads();
        for (unsigned s = 1; s < blockDim.x; s *= 2) {
            if ((tid & (2 * s - 1)) == 0) {
                sdata[tid] += sdata[tid + s];
            }
            __syncthreads();
        }
        return sdata[0];
    }
};

/// Adds the upper half of the block's elements to the lower one until `end` are left.
template <class T>
__device__ __forceinline__ void halve(T* sdata, unsigned end) {
    for (unsigned s = blockDim.x / 2; s >= end; s >>= 1) {
        if (threadIdx.x < s) {
            sdata[threadIdx.x] += sdata[threadIdx.x + s];
        }
        __syncthreads();
    }
}

/// Kernel 2, sequential addressing: neighbouring threads use neighbouring elements, no bank
/// conflicts.
template <class T, int block, int>
struct V2 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        sdata[threadIdx.x] = element(values, n, first_index());
        __syncthreads();
        halve(sdata, 1);
        return sdata[0];
    }
};

/// The first addition of kernels 3 to 5, made while loading.
template <class T>
__device__ __forceinline__ void load_two(T* sdata, const T* values, Index n) {
    const Index i = first_index(2);
    sdata[threadIdx.x] = element(values, n, i) + element(values, n, i + blockDim.x);
    __syncthreads();
}

/// Kernel 3, idle threads: each thread adds two elements while it loads, in half the blocks.
template <class T, int block, int>
struct V3 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        load_two(sdata, values, n);
        halve(sdata, 1);
        return sdata[0];
    }
};

/// The last warp of kernels 4 to 6, for devices before compute capability 7.0. The article lets
/// the lanes run without any barrier, each line `cache[tid] += cache[tid + 32]`: from 7.0 on a race
/// between lanes that read and lanes that already write. Here a barrier stands between the two.
template <class T>
__device__ __forceinline__ void warp_reduce_in_step(volatile T* cache, unsigned tid) {
#pragma unroll
    for (unsigned s = 32; s > 0; s /= 2) {
        const T other = cache[tid + s];
        __syncwarp();
        cache[tid] = cache[tid] + other;
        __syncwarp();
    }
}

/// Kernel 4, the last warp unrolled (CC < 7.0): no block barriers and no loop for the last 64
/// elements.
template <class T, int block, int>
struct V4 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        load_two(sdata, values, n);
        halve(sdata, 64);
        if (threadIdx.x < 32) {
            warp_reduce_in_step<T>(sdata, threadIdx.x);
        }
        return threadIdx.x == 0 ? sdata[0] : T(0);
    }
};

/// Kernel 4.1, the last warp unrolled (CC >= 7.0), as NVIDIA's "Using CUDA Warp-Level Primitives":
/// the sum stays in a register. The article's register is an int, which cuts off fractions.
template <class T, int block, int>
struct V4_1 {
    static __device__ void warp_reduce(volatile T* cache, unsigned tid) {
        T v = cache[tid];
#pragma unroll
        for (unsigned s = 32; s > 0; s /= 2) {
            v += cache[tid + s];
            __syncwarp();
            cache[tid] = v;
            __syncwarp();
        }
    }
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        load_two(sdata, values, n);
        halve(sdata, 64);
        if (threadIdx.x < 32) {
            warp_reduce(sdata, threadIdx.x);
        }
        return threadIdx.x == 0 ? sdata[0] : T(0);
    }
};

/// Kernel 4.2, the last warp by shuffles. Here, too, the article's register is an int.
template <class T, int block, int>
struct V4_2 {
    static __device__ void warp_reduce(T* cache, unsigned tid) {
        T v = cache[tid] + cache[tid + 32];
#pragma unroll
        for (unsigned s = 16; s > 0; s /= 2) {
            v += __shfl_down_sync(0xffffffffu, v, s);
        }
        cache[tid] = v;
    }
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        load_two(sdata, values, n);
        halve(sdata, 64);
        if (threadIdx.x < 32) {
            warp_reduce(sdata, threadIdx.x);
        }
        return threadIdx.x == 0 ? sdata[0] : T(0);
    }
};

/// The tree of kernels 5 and 6, unrolled for a block size that the compiler knows. The article
/// goes on for blocks of less than 64 threads, where its last warp would read behind the array.
template <class T, int block>
__device__ __forceinline__ void halve_unrolled(T* sdata) {
    static_assert(block >= 64, "the last warp adds 64 elements");
    const unsigned tid = threadIdx.x;
#pragma unroll
    for (unsigned s = 512; s >= 64; s /= 2) {
        if (block >= 2 * s) {
            if (tid < s) {
                sdata[tid] += sdata[tid + s];
            }
            __syncthreads();
        }
    }
    if (tid < 32) {
        warp_reduce_in_step<T>(sdata, tid);
    }
}

/// Kernel 5, completely unrolled.
template <class T, int block, int>
struct V5 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        load_two(sdata, values, n);
        halve_unrolled<T, block>(sdata);
        return threadIdx.x == 0 ? sdata[0] : T(0);
    }
};

/// Kernel 6, more work for each thread: NUM_PER_THREAD elements in fewer blocks. The article works
/// that number out by divisions that drop what remains; here the last block may find less.
template <class T, int block, int num_per_thread>
struct V6 {
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[block];
        const Index i = first_index(num_per_thread);
        sdata[threadIdx.x] = T(0);
#pragma unroll
        for (int iter = 0; iter < num_per_thread; ++iter) {
            sdata[threadIdx.x] += element(values, n, i + iter * block);
        }
        __syncthreads();
        halve_unrolled<T, block>(sdata);
        return threadIdx.x == 0 ? sdata[0] : T(0);
    }
};

/// One partial sum per block; a grid of one block has the result. A step returns its block's sum
/// in thread 0.
template <class T, template <class, int, int> class Step, int block, int num_per_thread>
__global__ void __launch_bounds__(block)
    reduce_study_notes_tree(const T* values, Index n, T* partials, T* result) {
    const T sum = Step<T, block, num_per_thread>::block_sum(values, n);
    if (threadIdx.x == 0) {
        *(gridDim.x == 1 ? result : partials + blockIdx.x) = sum;
    }
}

}  // namespace jitune
