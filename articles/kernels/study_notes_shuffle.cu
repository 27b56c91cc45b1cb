/* jitune template
kernel = "reduce_study_notes_shuffle"
backend = "cuda"
summary = "The sum, step by step: kernels 7 and 8 of [CUDA study notes] Reduce operator optimisation"
include = ["steps_types.toml"]
sizes = ["n"]
constraints = [
    "block <= max_threads_per_block",
    "num_per_thread = 64 OR step <> 'v8'",
    "(pack_size = 4 AND waves = 1) OR step = 'v8'",
    "blocks_1 <= 2147483647",
    "blocks_4 = 1",
]
reproducibility = "iif(element = 'int32', 'exact', 'fixed')"

[types.step]
v7 = "jitune::V7"
v7_expanded = "jitune::V7Expanded"
v8 = "jitune::V8"

# The article's values are the defaults. NUM_PER_THREAD is what 2048 blocks leave to a thread of
# its 2^25 elements.
[parameters]
block = { values = [64, 128, 256, 512, 1024], default = 256 }
num_per_thread = { values = [4, 8, 16, 32, 64, 128], default = 64 }
pack_size = { values = [1, 2, 4], default = 4 }
waves = { values = [1, 2, 4, 8, 16, 32], default = 1 }

[derived]
per_block = "block * iif(step = 'v8', 1, num_per_thread)"
# GetNumBlocks of v8; the other steps start as many blocks as their elements need.
most = "iif(step = 'v8', sm_count * max_threads_per_sm / block * waves, n)"
blocks_1 = "max(1, min(ceil_div(n, per_block), most))"
blocks_2 = "max(1, min(ceil_div(blocks_1, per_block), most))"
blocks_3 = "max(1, min(ceil_div(blocks_2, per_block), most))"
blocks_4 = "max(1, min(ceil_div(blocks_3, per_block), most))"

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
entry = "jitune::reduce_study_notes_shuffle"
template = ["element", "step", "block", "num_per_thread", "pack_size"]
arguments = ["values", "n", "partials_1", "result"]
block = "block"
grid = "blocks_1"

[[launch]]
when = "blocks_1 > 1"
entry = "jitune::reduce_study_notes_shuffle"
template = ["element", "step", "block", "num_per_thread", "pack_size"]
arguments = ["partials_1", "blocks_1", "partials_2", "result"]
block = "block"
grid = "blocks_2"

[[launch]]
when = "blocks_2 > 1"
entry = "jitune::reduce_study_notes_shuffle"
template = ["element", "step", "block", "num_per_thread", "pack_size"]
arguments = ["partials_2", "blocks_2", "partials_3", "result"]
block = "block"
grid = "blocks_3"

[[launch]]
when = "blocks_3 > 1"
entry = "jitune::reduce_study_notes_shuffle"
template = ["element", "step", "block", "num_per_thread", "pack_size"]
arguments = ["partials_3", "blocks_3", "partials_3", "result"]
block = "block"
grid = "1"
*/
// The kernels of "[CUDA 学习笔记] Reduce 算子优化" ([CUDA study notes] Reduce operator optimisation),
// that go beyond M. Harris's; study_notes_tree.cu has those, and says what was changed in all.
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

/// The elements of a thread of kernel 7, added in a register.
template <class T, int block, int num_per_thread>
__device__ __forceinline__ T thread_sum(const T* values, Index n) {
    const Index i = first_index(num_per_thread);
    T sum = T(0);
#pragma unroll
    for (int iter = 0; iter < num_per_thread; ++iter) {
        sum += element(values, n, i + iter * block);
    }
    return sum;
}

template <class T>
__device__ __forceinline__ T warp_reduce_sum(T sum) {
#pragma unroll
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    return sum;
}

/// Kernel 7, PyTorch's BlockReduceSum: shuffles in each warp, then in the first warp over the
/// warps' sums. The first barrier is for calls in a row. A third one, which the article has before
/// the call, guards nothing and is left out.
template <class T, int block, int num_per_thread, int>
struct V7 {
    static __device__ T block_reduce_sum(T sum, T* shared) {
        const unsigned lane = threadIdx.x % 32;
        const unsigned warp = threadIdx.x / 32;
        sum = warp_reduce_sum(sum);
        __syncthreads();
        if (lane == 0) {
            shared[warp] = sum;
        }
        __syncthreads();
        sum = threadIdx.x < blockDim.x / 32 ? shared[lane] : T(0);
        return warp == 0 ? warp_reduce_sum(sum) : sum;
    }
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T sdata[32];
        return block_reduce_sum(thread_sum<T, block, num_per_thread>(values, n), sdata);
    }
};

/// Kernel 7 written out: one barrier, and no more shuffles than there are threads or warps.
template <class T, int block, int num_per_thread, int>
struct V7Expanded {
    template <unsigned count>
    static __device__ T warp_reduce_sum(T sum) {
#pragma unroll
        for (unsigned offset = 16; offset > 0; offset /= 2) {
            if (count >= 2 * offset) {
                sum += __shfl_down_sync(0xffffffffu, sum, offset);
            }
        }
        return sum;
    }
    static __device__ T block_sum(const T* values, Index n) {
        __shared__ T warp_level_sums[32];
        constexpr unsigned kWarps = block / 32;
        const unsigned lane = threadIdx.x % 32;
        const unsigned warp = threadIdx.x / 32;
        T sum = warp_reduce_sum<block>(thread_sum<T, block, num_per_thread>(values, n));
        if (lane == 0) {
            warp_level_sums[warp] = sum;
        }
        __syncthreads();
        sum = threadIdx.x < kWarps ? warp_level_sums[lane] : T(0);
        return warp == 0 ? warp_reduce_sum<kWarps>(sum) : sum;
    }
};

/// OneFlow's vector of elements that one instruction loads.
template <class T, int pack_size>
struct alignas(sizeof(T) * pack_size) Packed {
    T elem[pack_size];

    __device__ __forceinline__ void operator+=(const Packed& other) {
#pragma unroll
        for (int i = 0; i < pack_size; ++i) {
            elem[i] += other.elem[i];
        }
    }
};

/// Kernel 8, packs and a grid of GetNumBlocks(): threads that stride over the data fill the device
/// `waves` times. The article counts with 32 bits, needs aligned values and drops the last
/// n % PackSize; here block 0 adds the elements outside of whole aligned packs.
template <class T, int block, int, int pack_size>
struct V8 {
    static __device__ T block_sum(const T* values, Index n) {
        using Pack = Packed<T, pack_size>;
        const Index misaligned = reinterpret_cast<Index>(values) / sizeof(T) % pack_size;
        Index head = (pack_size - misaligned) % pack_size;
        head = head < n ? head : n;
        const auto* const packs = reinterpret_cast<const Pack*>(values + head);
        const Index count = (n - head) / pack_size;
        const Index tail = (n - head) % pack_size;

        Pack sum_pack{};
        const Index stride = static_cast<Index>(blockDim.x) * gridDim.x;
        for (Index i = first_index(); i < count; i += stride) {
            sum_pack += packs[i];
        }
        T sum = T(0);
#pragma unroll
        for (int i = 0; i < pack_size; ++i) {
            sum += sum_pack.elem[i];
        }
        if (blockIdx.x == 0 && threadIdx.x < head + tail) {
            sum += values[threadIdx.x < head ? threadIdx.x : threadIdx.x + (n - head - tail)];
        }

        __shared__ T warp_level_sums[32];
        const unsigned lane = threadIdx.x % 32;
        const unsigned warp = threadIdx.x / 32;
        sum = warp_reduce_sum(sum);
        if (lane == 0) {
            warp_level_sums[warp] = sum;
        }
        __syncthreads();
        sum = threadIdx.x < block / 32 ? warp_level_sums[lane] : T(0);
        return warp == 0 ? warp_reduce_sum(sum) : sum;
    }
};

/// One partial sum per block; a grid of one block has the result. A step returns its block's sum
/// in thread 0.
template <class T, template <class, int, int, int> class Step, int block, int num_per_thread,
          int pack_size>
__global__ void __launch_bounds__(block)
    reduce_study_notes_shuffle(const T* values, Index n, T* partials, T* result) {
    const T sum = Step<T, block, num_per_thread, pack_size>::block_sum(values, n);
    if (threadIdx.x == 0) {
        *(gridDim.x == 1 ? result : partials + blockIdx.x) = sum;
    }
}

}  // namespace jitune
