// One stage of a formula on a GPU. A stage `F` is a struct that the writer of formulas (src/formula) makes. It holds the
// caller's pointers and scalars, and has
//     State                      of its reductions together; kHasState: whether it has any
//     identity(), combine(a, b)  as an operation of reductions has
//     kMembers                   of the state, see jitune_members.h; 0 where they are not alike
//     Elements<count>            that many elements of each array that it reads or writes
//     Scalars, scalars(n)        scalars that lie in device memory, which each thread reads once
//     address(), kFirstBytes     of the array whose alignment decides where packs begin
//     aligned<count>(head)       whether all arrays are aligned to runs of `count` from that element on
//     load(access, i, elements)  reads the elements from i on; store() writes those of the arrays that it writes
//     add(state, elements, k, i, n, scalars)  the work for element k of a run, which is element i of the arrays
//     finish(state, n, scalars)  writes the results
#pragma once

#include "jitune_formula_operations.h"
#include "jitune_load.h"
#include "jitune_members.h"

namespace jitune {

/// `count` elements of an array side by side.
template <class T, int count>
struct Run {
    T values[count];
};

/// Packs of up to 16 bytes: each array has its own width.
template <class T, int count>
constexpr int kPackOf = count * sizeof(T) <= 16 ? count : static_cast<int>(16 / sizeof(T));

template <class T, int count>
__device__ __forceinline__ bool is_aligned(const T* at) {
    return reinterpret_cast<Index>(at) % (kPackOf<T, count> * sizeof(T)) == 0;
}

/// Reads and writes runs as packs.
template <Load load>
struct PackAccess {
    Loader<load> loader;

    template <class T, int count>
    __device__ __forceinline__ void read(const T* from, Run<T, count>& run) const {
        constexpr int kPack = kPackOf<T, count>;
        const auto* packs = reinterpret_cast<const Pack<T, kPack>*>(from);
#pragma unroll
        for (int p = 0; p < count / kPack; ++p) {
            const Pack<T, kPack> pack = loader(packs + p);
#pragma unroll
            for (int i = 0; i < kPack; ++i) {
                run.values[p * kPack + i] = pack.values[i];
            }
        }
    }
    template <class T, int count>
    __device__ __forceinline__ void write(T* to, const Run<T, count>& run) const {
        constexpr int kPack = kPackOf<T, count>;
        auto* packs = reinterpret_cast<Pack<T, kPack>*>(to);
#pragma unroll
        for (int p = 0; p < count / kPack; ++p) {
            Pack<T, kPack> pack;
#pragma unroll
            for (int i = 0; i < kPack; ++i) {
                pack.values[i] = run.values[p * kPack + i];
            }
            packs[p] = pack;
        }
    }
};

/// Reads and writes runs element by element, for arrays that are not aligned alike.
struct SingleAccess {
    template <class T, int count>
    __device__ __forceinline__ void read(const T* from, Run<T, count>& run) const {
        const Loader<Load::standard> loader;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            run.values[i] = loader(from + i);
        }
    }
    template <class T, int count>
    __device__ __forceinline__ void write(T* to, const Run<T, count>& run) const {
#pragma unroll
        for (int i = 0; i < count; ++i) {
            to[i] = run.values[i];
        }
    }
};

/// A scalar in device memory, which earlier work of the stream may have written.
template <class T>
__device__ __forceinline__ T read_scalar(const T* from) {
    return Loader<Load::standard>()(from);
}

/// The work for a run, in lanes that do not wait for each other.
template <int count, class F, class State, int lanes, class Elements>
__device__ __forceinline__ void add_run(const F& f, State (&states)[lanes], Elements& run, Index index, Index n,
                                        const typename F::Scalars& scalars) {
#pragma unroll
    for (int k = 0; k < count; ++k) {
        f.add(states[k % lanes], run, k, index + k, n, scalars);
    }
}

/// A stage over elements [0, n) by any grid of one dimension. Runs of `vector` elements begin where the first array is
/// aligned; the elements before and behind them are block 0's. Loads of `unroll` runs are in flight before the first is
/// used. The order of the combinations depends on the launch and the alignment, never on timing.
template <class F, int block, int vector, int unroll, Load load, Finish finish>
__device__ __forceinline__ void run_stage(const F& f, Index n, const Work& work) {
    using State = typename F::State;
    constexpr int kMost = sizeof(State) >= 64 ? 1 : 64 / sizeof(State);
    constexpr int kLanes = vector < kMost ? vector : kMost;
    constexpr unsigned kTile = block * unroll;
    constexpr unsigned kLast = (unroll - 1) * block;
    wait_for_earlier_work();
    const auto scalars = f.scalars(n);

    const Index misaligned = f.address() / F::kFirstBytes % vector;
    Index head = misaligned == 0 ? 0 : vector - misaligned;
    head = head < n ? head : n;
    const Index runs = (n - head) / vector;
    const auto tail = static_cast<unsigned>((n - head) % vector);
    const bool aligned = f.template aligned<vector>(head);

    State states[kLanes];
#pragma unroll
    for (State& state : states) {
        state = F::identity();
    }
    const PackAccess<load> packs;
    const SingleAccess singles;
    typename F::template Elements<vector> loaded[unroll];
    const Index stride = static_cast<Index>(gridDim.x) * kTile;
    // A warp takes the last, ragged tile in one step: lanes that took it in two would wait for memory twice.
    const Index whole = runs - (31 - threadIdx.x % 32);
    Index at = static_cast<Index>(blockIdx.x) * kTile + threadIdx.x;
    for (; at < runs; at += stride) {
        const bool full = static_cast<long long>(at + kLast) < static_cast<long long>(whole);
        if (aligned && full) {
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                f.load(packs, head + (at + u * block) * vector, 0, loaded[u]);
            }
        } else {
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                if (at + u * block < runs) {
                    if (aligned) {
                        f.load(packs, head + (at + u * block) * vector, 0, loaded[u]);
                    } else {
                        f.load(singles, head + (at + u * block) * vector, 0, loaded[u]);
                    }
                }
            }
        }
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            if (full || at + u * block < runs) {
                const Index index = head + (at + u * block) * vector;
                add_run<vector>(f, states, loaded[u], index, n, scalars);
                if constexpr (F::kWrites) {
                    if (aligned) {
                        f.store(packs, index, 0, loaded[u]);
                    } else {
                        f.store(singles, index, 0, loaded[u]);
                    }
                }
            }
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < head + tail) {
        const Index index = threadIdx.x < head ? threadIdx.x : n - tail + (threadIdx.x - head);
        typename F::template Elements<1> edge;
        f.load(singles, index, 0, edge);
        f.add(states[0], edge, 0, index, n, scalars);
        f.store(singles, index, 0, edge);
    }
    if constexpr (F::kHasState) {
        State state = states[0];
#pragma unroll
        for (int i = 1; i < kLanes; ++i) {
            state = F::combine(state, states[i]);
        }
        bool is_whole;
        if constexpr (F::kMembers > 1) {
            is_whole = finish_members<F, block, finish>(state, work);
        } else {
            state = combine_block<F, block>(state);
            is_whole = finish_grid<F, block, finish, 1>(state, work);
        }
        if (is_whole) {
            f.finish(state, n, scalars);
        }
    } else if (blockIdx.x == 0 && threadIdx.x == 0) {
        f.finish(states[0], n, scalars);
    }
}

/// The reference: jitune compares candidates with its results. One block of 1024 threads runs the plainest loop.
template <class F>
__device__ void run_plainly(const F& f, Index n) {
    constexpr int kBlock = 1024;
    const SingleAccess singles;
    const auto scalars = f.scalars(n);
    auto state = F::identity();
    for (Index i = threadIdx.x; i < n; i += kBlock) {
        typename F::template Elements<1> element;
        f.load(singles, i, 0, element);
        f.add(state, element, 0, i, n, scalars);
        f.store(singles, i, 0, element);
    }
    if constexpr (F::kHasState) {
        state = combine_block<F, kBlock>(state);
    }
    if (threadIdx.x == 0) {
        f.finish(state, n, scalars);
    }
    __threadfence();
    __syncthreads();  // the next stage reads the results
}

}  // namespace jitune
