/* jitune template
kernel = "reduce_vector_sum"
backend = "cuda"
summary = "The sum, step by step: the kernels of Making vector sum really fast"
include = ["steps_types.toml"]
sizes = ["n"]
constraints = [
    "threads_per_block <= max_threads_per_block",
    "batch_size = 12 OR step IN ('kernel_3', 'kernel_4')",
    "blocks <= 2147483647",
]
reproducibility = "iif(element = 'int32', 'exact', iif(two_pass, 'fixed', 'any'))"

[types.step]
kernel_0 = "jitune::Kernel0"
kernel_1 = "jitune::Kernel1"
kernel_2 = "jitune::Kernel2"
kernel_3 = "jitune::Kernel3"
kernel_4 = "jitune::Kernel4"

# The article names no values; the defaults are those of its repository.
[parameters]
threads_per_block = { values = [64, 128, 256, 512, 1024], default = 512 }
batch_size = { values = [4, 8, 12, 16, 24, 32], default = 12 }

[derived]
two_pass = "step IN ('kernel_0', 'kernel_1')"
batch = "iif(step IN ('kernel_3', 'kernel_4'), batch_size, 1)"
blocks = "ceil_div(n, threads_per_block * batch)"

[arguments]
values = { access = "in", type = "element", count = "n" }
n = { access = "scalar", type = "uint64", value = "n" }
first = { access = "scratch", type = "element", count = "iif(two_pass, blocks, 1)" }
blocks = { access = "scalar", type = "uint64", value = "blocks" }
result = { access = "out", type = "element", count = "1" }

[[launch]]
when = "two_pass"
entry = "jitune::reduce_vector_sum"
template = ["element", "step", "threads_per_block", "batch_size"]
arguments = ["values", "first", "n"]
block = "threads_per_block"
grid = "blocks"

[[launch]]
when = "two_pass"
entry = "jitune::reduce_vector_sum"
template = ["element", "step", "threads_per_block", "batch_size"]
arguments = ["first", "result", "blocks"]
block = "threads_per_block"
grid = "1"

[[launch]]
when = "NOT two_pass"
entry = "jitune::clear_vector_sum"
template = ["element"]
arguments = ["result"]
block = "1"
grid = "1"

[[launch]]
when = "NOT two_pass"
entry = "jitune::reduce_vector_sum"
template = ["element", "step", "threads_per_block", "batch_size"]
arguments = ["values", "result", "n"]
block = "threads_per_block"
grid = "blocks"
*/
// The kernels of Simon V, "Making vector sum really fast" (2025; translated as 让向量求和变得非常快).
// His indexes are ints, which overflow from 2^31 elements on, and his shared array is declared
// `extern` but launched without memory for it. Both are mended here.
#include "jitune_types.h"

namespace jitune {

/// `in` by a grid that strides, as kernels 0 and 1 read: their second launch has one block.
template <class T, int threads_per_block>
__device__ __forceinline__ T strided_sum(const T* in, Index n) {
    const Index threads_in_grid = static_cast<Index>(threads_per_block) * gridDim.x;
    T sum = T(0);
    for (Index i = static_cast<Index>(blockIdx.x) * threads_per_block + threadIdx.x; i < n;
         i += threads_in_grid) {
        sum += in[i];
    }
    return sum;
}

/// Baseline in two passes: the tree in shared memory with a block barrier after each level.
template <class T, int threads_per_block, int>
struct Kernel0 {
    static __device__ void run(const T* in, T* out, Index n) {
        __shared__ T sums[threads_per_block];
        const int tid = threadIdx.x;
        sums[tid] = strided_sum<T, threads_per_block>(in, n);
        __syncthreads();
        for (int active = threads_per_block >> 1; active; active >>= 1) {
            if (tid < active) {
                sums[tid] += sums[tid + active];
            }
            __syncthreads();
        }
        if (tid == 0) {
            out[blockIdx.x] = sums[0];
        }
    }
};

/// The tree of kernels 1 to 4; the block's sum in thread 0. Warp barriers do for the first warp:
/// no lane reads what another may write before the next one. The author's first version had none
/// and was a race.
template <class T, int threads_per_block>
__device__ __forceinline__ T block_sum(T sum) {
    static_assert(threads_per_block >= 64, "the first warp adds 64 elements");
    __shared__ T sums[threads_per_block];
    const int tid = threadIdx.x;
    sums[tid] = sum;
    __syncthreads();
#pragma unroll
    for (int active = threads_per_block >> 1; active > 32; active >>= 1) {
        if (tid < active) {
            sums[tid] += sums[tid + active];
        }
        __syncthreads();
    }
    volatile T* const volatile_sums = sums;
#pragma unroll
    for (int active = 32; active; active >>= 1) {
        if (tid < active) {
            volatile_sums[tid] = volatile_sums[tid] + volatile_sums[tid + active];
        }
        __syncwarp();
    }
    return tid == 0 ? volatile_sums[0] : T(0);
}

/// Using warps: kernel 0 with warp barriers for the last 64 elements.
template <class T, int threads_per_block, int>
struct Kernel1 {
    static __device__ void run(const T* in, T* out, Index n) {
        const T sum = block_sum<T, threads_per_block>(strided_sum<T, threads_per_block>(in, n));
        if (threadIdx.x == 0) {
            out[blockIdx.x] = sum;
        }
    }
};

/// Adds a block's sum to the answer. The article's thread 0 of the grid clears the answer in the
/// same launch, which other blocks may already have added to: a race. Here, as in later versions of
/// its repository, it is cleared before.
template <class T>
__device__ __forceinline__ void add_to(T* out, T sum) {
    if (threadIdx.x == 0) {
        atomicAdd(out, sum);
    }
}

/// One pass: an element for each thread, the blocks' sums by atomics.
template <class T, int threads_per_block, int>
struct Kernel2 {
    static __device__ void run(const T* in, T* out, Index n) {
        const Index global_tid = static_cast<Index>(blockIdx.x) * threads_per_block + threadIdx.x;
        const T sum = global_tid < n ? in[global_tid] : T(0);
        add_to(out, block_sum<T, threads_per_block>(sum));
    }
};

/// More arithmetic for each thread: batchSize elements in a row.
template <class T, int threads_per_block, int batch_size>
struct Kernel3 {
    static __device__ void run(const T* in, T* out, Index n) {
        const Index global_tid = static_cast<Index>(blockIdx.x) * threads_per_block + threadIdx.x;
        T sum = T(0);
#pragma unroll
        for (int j = 0; j < batch_size; ++j) {
            if (global_tid * batch_size + j < n) {
                sum += in[global_tid * batch_size + j];
            }
        }
        add_to(out, block_sum<T, threads_per_block>(sum));
    }
};

template <class T>
struct alignas(4 * sizeof(T)) Vector4 {
    T x, y, z, w;
};

/// Vector loads: the batch by four elements at once. The article needs aligned values, loads before
/// it looks at N, and adds what lies behind N where that is no multiple of 4; here block 0 adds the
/// elements outside of whole aligned vectors.
template <class T, int threads_per_block, int batch_size>
struct Kernel4 {
    static __device__ void run(const T* in, T* out, Index n) {
        constexpr int kVectors = batch_size >> 2;
        const Index misaligned = reinterpret_cast<Index>(in) / sizeof(T) % 4;
        Index head = (4 - misaligned) % 4;
        head = head < n ? head : n;
        const auto* const vectors = reinterpret_cast<const Vector4<T>*>(in + head);
        const Index count = (n - head) / 4;
        const Index tail = (n - head) % 4;
        const Index global_tid = static_cast<Index>(blockIdx.x) * threads_per_block + threadIdx.x;
        T sum = T(0);
#pragma unroll
        for (int i = 0; i < kVectors; ++i) {
            if (global_tid * kVectors + i < count) {
                const Vector4<T> val = vectors[global_tid * kVectors + i];
                sum += val.x + val.y + val.z + val.w;
            }
        }
        if (global_tid < head + tail) {
            sum += in[global_tid < head ? global_tid : global_tid + (n - head - tail)];
        }
        add_to(out, block_sum<T, threads_per_block>(sum));
    }
};

template <class T>
__global__ void clear_vector_sum(T* out) {
    *out = T(0);
}

template <class T, template <class, int, int> class Step, int threads_per_block, int batch_size>
__global__ void __launch_bounds__(threads_per_block)
    reduce_vector_sum(const T* in, T* out, Index n) {
    Step<T, threads_per_block, batch_size>::run(in, out, n);
}

}  // namespace jitune
