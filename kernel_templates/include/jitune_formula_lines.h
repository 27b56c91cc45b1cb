// A formula for each line of a matrix on a GPU: for each row, column or segment. `F` is a struct that
// the writer of formulas (src/formula) makes, with the caller's pointers and scalars. It has
//     line(number, start)         the same with the pointers of that line, whose first element is `start`
//     Elements<count>             that many elements of each array that any stage reads or writes
//     aligned<count>()            whether all arrays of a line are aligned to runs of `count`
//     Scalars, scalars()          the scalars of the line in device memory, and results of stages
//     load_all(access, at, i, elements)  reads what the call brings: `at` from the line's start, which
//                                 is its element i
// and a stage is a struct that extends it, with State, kHasState, identity(), combine(), kWrites and
// add() as in jitune_formula.h, and
//     load(access, at, i, elements), store(…)  of the arrays of the stage
//     recall(scalars)             reads the results of the stages before, if these were other launches
//     finish(state, n, scalars, writes)  adds its results to the scalars, and writes them if `writes`
#pragma once

#include "jitune_formula.h"
#include "jitune_line_shapes.h"

namespace jitune {

/// The combination over the threads of a line, in each of them. All threads of the block must call
/// it; of two calls in a row, one has `odd`.
template <class S, LineShape shape, int block, int lanes>
__device__ __forceinline__ typename S::State combine_lanes(typename S::State state, bool odd) {
    using State = typename S::State;
    if constexpr (lanes == 1) {
        return state;
    } else if constexpr (shape == LineShape::columns) {
        constexpr unsigned kLines = block / lanes;
        __shared__ State states[block];
        __syncthreads();
        states[threadIdx.x] = state;
#pragma unroll
        for (unsigned half = lanes / 2; half > 0; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half * kLines) {
                state = S::combine(state, states[threadIdx.x + half * kLines]);
                states[threadIdx.x] = state;
            }
        }
        __syncthreads();
        return states[threadIdx.x % kLines];
    } else if constexpr (lanes <= 32) {
        return combine_warp<S, lanes>(state);
    } else {
        static_assert(lanes == block);
        constexpr int kWarps = block / 32;
        __shared__ State of_warps[2][kWarps];
        state = combine_warp<S>(state);
        if (threadIdx.x % 32 == 0) {
            of_warps[odd][threadIdx.x / 32] = state;
        }
        __syncthreads();
        return combine_warp<S, kWarps>(of_warps[odd][threadIdx.x % kWarps]);
    }
}

/// One line of whole, aligned runs of `vector` elements, of which each thread has some. If these are
/// few, all stages find them in registers.
template <class F, LineShape shape, int block, int lanes, int vector, int unroll>
struct LineWork {
    static constexpr int kTile = lanes * unroll;  // runs
    using Elements = typename F::template Elements<vector>;
    using Packs = PackAccess<Load::standard>;

    F formula;
    Index n;  ///< elements; of no line none
    Index stride;
    unsigned lane;
    unsigned part, parts;  ///< of the line, tile by tile in turn
    bool exists;
    bool held;  ///< in `elements`
    typename F::Scalars scalars;
    Elements elements[unroll];

    [[nodiscard]] __device__ __forceinline__ Index runs() const { return n / vector; }

    /// Calls `visit` with the place in `elements` and the first element of each run.
    template <class Visit>
    __device__ __forceinline__ void each_run(Index begin, const Visit& visit) {
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
            const Index run = begin + u * lanes + lane;
            if (run < runs()) {
                visit(u, run * vector);
            }
        }
    }

    __device__ __forceinline__ void hold() {
        each_run(0, [&](int u, Index index) {
            formula.load_all(Packs{}, index * stride, index, elements[u]);
        });
    }

    /// Combines the thread's share of the line.
    template <class S>
    __device__ __forceinline__ typename S::State fold(const S& stage) {
        using State = typename S::State;
        constexpr int kMost = sizeof(State) >= 64 ? 1 : 64 / sizeof(State);
        constexpr int kStates = vector < kMost ? vector : kMost;
        State states[kStates];
#pragma unroll
        for (State& state : states) {
            state = S::identity();
        }
        for (Index begin = static_cast<Index>(part) * kTile; begin < runs();
             begin += static_cast<Index>(parts) * kTile) {
            if (!held) {
                each_run(begin, [&](int u, Index index) {
                    stage.load(Packs{}, index * stride, index, elements[u]);
                });
            }
            each_run(begin, [&](int u, Index index) {
                add_run<vector>(stage, states, elements[u], index, n, scalars);
                if constexpr (S::kWrites) {
                    stage.store(Packs{}, index * stride, index, elements[u]);
                }
            });
        }
        State state = states[0];
#pragma unroll
        for (int i = 1; i < kStates; ++i) {
            state = S::combine(state, states[i]);
        }
        return state;
    }

    template <class S>
    __device__ __forceinline__ void run(bool& odd) {
        asm volatile("" ::: "memory");  // loads of what the stage before stored come behind it
        const S stage{formula};
        auto state = fold(stage);
        if constexpr (S::kHasState) {
            state = combine_lanes<S, shape, block, lanes>(state, odd);
            odd = !odd;
        }
        stage.finish(state, n, scalars, lane == 0 && exists);
    }
};

/// The line that a thread works on, of those from `first` on.
template <LineShape shape, int block, int lanes, int vector, int unroll, class F, class Offset>
__device__ __forceinline__ LineWork<F, shape, block, lanes, vector, unroll> line_work(
    const F& formula, const Lines<Offset>& lines, Index first, unsigned part, unsigned parts) {
    constexpr unsigned kLines = block / lanes;
    constexpr bool kColumns = shape == LineShape::columns;
    LineWork<F, shape, block, lanes, vector, unroll> work{formula};
    const Index line = first + (kColumns ? threadIdx.x % kLines : threadIdx.x / lanes);
    work.lane = kColumns ? threadIdx.x / kLines : threadIdx.x % lanes;
    work.part = part;
    work.parts = parts;
    work.exists = line < lines.count;
    const LineExtent extent = work.exists ? extent_of<shape>(lines, line) : LineExtent{};
    work.n = extent.n;
    work.stride = extent.stride;
    work.formula = formula.line(work.exists ? line : 0, extent.start);
    work.held = false;
    if (work.exists) {
        work.scalars = work.formula.scalars(work.n);
    }
    return work;
}

/// Whether each line is whole runs at aligned addresses.
template <LineShape shape, int vector, class F, class Offset>
__device__ __forceinline__ bool has_runs(const F& formula, const Lines<Offset>& lines) {
    return vector == 1 || (shape == LineShape::rows && lines.length % vector == 0 &&
                           formula.template aligned<vector>(0));
}

/// All stages for each line, by any grid of one dimension. `lanes` threads work on a line: some of a
/// warp, or the whole block; of columns any number, so that neighbouring threads read neighbouring
/// columns. A line of no more than lanes * vector * unroll elements is read once. Lines that are not
/// whole runs are read element by element. The order of the combinations depends on the launch and
/// the line, never on timing.
template <LineShape shape, int block, int lanes, int vector, int unroll, class... Stages, class F,
          class Offset>
__device__ __forceinline__ void run_lines(const F& formula, const Lines<Offset>& lines) {
    if (!has_runs<shape, vector>(formula, lines)) {
        if constexpr (vector > 1) {
            run_lines<shape, block, lanes, 1, unroll, Stages...>(formula, lines);
        }
        return;
    }
    constexpr Index kLines = block / lanes;
    wait_for_earlier_work();
    bool odd = false;
    for (Index first = blockIdx.x * kLines; first < lines.count; first += gridDim.x * kLines) {
        auto work = line_work<shape, block, lanes, vector, unroll>(formula, lines, first, 0, 1);
        work.held = work.runs() <= work.kTile;
        if (work.held) {
            work.hold();
        }
        (work.template run<Stages>(odd), ...);
    }
}

/// One stage of long lines, each by `parts` blocks: block b works on part b % parts. `work` has a
/// partial of each line and part, and a counter of each block / lanes lines.
template <LineShape shape, int block, int lanes, int vector, int unroll, class S, class F,
          class Offset>
__device__ __forceinline__ void run_parts(const F& formula, const Lines<Offset>& lines,
                                          unsigned parts, const Work& work) {
    if (!has_runs<shape, vector>(formula, lines)) {
        if constexpr (vector > 1) {
            run_parts<shape, block, lanes, 1, unroll, S>(formula, lines, parts, work);
        }
        return;
    }
    using Partial = Stored<typename S::State>;
    constexpr Index kLines = block / lanes;
    wait_for_earlier_work();
    const Index group = blockIdx.x / parts;
    auto line = line_work<shape, block, lanes, vector, unroll>(formula, lines, group * kLines,
                                                               blockIdx.x % parts, parts);
    const S stage{line.formula};
    if (line.exists) {
        stage.recall(line.scalars);
    }
    auto state = line.fold(stage);
    if constexpr (!S::kHasState) {
        stage.finish(state, line.n, line.scalars, line.lane == 0 && line.exists && line.part == 0);
        return;
    } else {
        state = combine_lanes<S, shape, block, lanes>(state, false);
        const Index number = group * kLines + (shape == LineShape::columns ? threadIdx.x % kLines
                                                                         : threadIdx.x / lanes);
        __shared__ bool last;
        if (line.lane == 0 && line.exists) {
            static_cast<Partial*>(work.partials)[number * parts + line.part] = Partial(state);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            last = arrives_last(static_cast<unsigned*>(work.counters) + group, parts);
        }
        __syncthreads();
        if (!last) {
            return;
        }
        state = S::identity();
        for (unsigned i = line.lane; line.exists && i < parts; i += lanes) {
            const Partial partial(static_cast<const volatile Partial*>(work.partials) +
                                  number * parts + i);
            state = S::combine(state, partial.state());
        }
        state = combine_lanes<S, shape, block, lanes>(state, true);
        stage.finish(state, line.n, line.scalars, line.lane == 0 && line.exists);
    }
}

template <class S, int block, class F>
__device__ void run_stage_plainly(const F& formula, const LineExtent& line,
                                  typename F::Scalars& scalars) {
    const S stage{formula};
    const SingleAccess singles;
    auto state = S::identity();
    for (Index i = threadIdx.x; i < line.n; i += block) {
        typename F::template Elements<1> element;
        stage.load(singles, i * line.stride, i, element);
        stage.add(state, element, 0, i, line.n, scalars);
        stage.store(singles, i * line.stride, i, element);
    }
    if constexpr (S::kHasState) {
        __shared__ typename S::State whole;
        state = combine_block<S, block>(state);
        if (threadIdx.x == 0) {
            whole = state;
        }
        __syncthreads();
        state = whole;
    }
    stage.finish(state, line.n, scalars, threadIdx.x == 0);
    __syncthreads();
}

/// The reference: jitune compares candidates with its results. Each block takes a line at a time.
template <LineShape shape, int block, class... Stages, class F, class Offset>
__device__ void run_lines_plainly(const F& formula, const Lines<Offset>& lines) {
    for (Index number = blockIdx.x; number < lines.count; number += gridDim.x) {
        const LineExtent line = extent_of<shape>(lines, number);
        const F one = formula.line(number, line.start);
        auto scalars = one.scalars(line.n);
        (run_stage_plainly<Stages, block>(one, line, scalars), ...);
    }
}

}  // namespace jitune
