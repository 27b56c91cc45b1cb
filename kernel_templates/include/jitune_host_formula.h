// One stage of a formula on the host. A stage `F` is a struct that the writer of formulas (src/formula) makes. It holds
// the caller's pointers and scalars, and has
//     State                      of its reductions together
//     identity(), combine(a, b)  as an operation of reductions has
//     kBytes                     of one element of all arrays that it reads or writes
//     fold(first, end, n)        the work for these elements in one loop, for vectors; their state
//     finish(state, n)           writes the results
#pragma once

#include "jitune_formula_operations.h"
#include "jitune_host_threads.h"

namespace jitune {

/// The state of elements [first, end): loops of at most `kBlock` elements, combined two and two, which rounds less than
/// one loop over all.
template <class F, int kBlock>
typename F::State fold_range(const F& f, Index first, Index end, Index n) {
    const Index count = end - first;
    if (count <= kBlock) {
        return f.fold(first, end, n);
    }
    const Index half = (count + 2 * kBlock - 1) / (2 * kBlock) * kBlock;
    const auto left = fold_range<F, kBlock>(f, first, first + half, n);
    return F::combine(left, fold_range<F, kBlock>(f, first + half, end, n));
}

/// A stage over elements [0, n). The order of the combinations depends on n, `threads` and `chunks_per_thread`.
template <class F, int kBlock>
void run_stage(const F& f, Index n, int threads, int chunks_per_thread) {
    constexpr int kMaxChunks = 1024;
    constexpr Index kUnit = 1024;  // elements: no two threads write the same cache line if an array begins on one
    threads = useful_threads(threads, n * F::kBytes);
    if (threads == 1) {
        f.finish(fold_range<F, kBlock>(f, 0, n, n), n);
        return;
    }
    const Index units = ceil_div(n, kUnit);
    const Index most = smaller(smaller(n * F::kBytes / kShareBytes, units), kMaxChunks);
    const int chunks = static_cast<int>(smaller(most, Index(threads) * chunks_per_thread));
    typename F::State states[kMaxChunks];
    for_each(chunks, threads, [&](Index chunk) {
        const Index first = share_begin(units, chunk, chunks) * kUnit;
        const Index end = smaller(n, share_begin(units, chunk + 1, chunks) * kUnit);
        states[chunk] = fold_range<F, kBlock>(f, first, end, n);
    });
    f.finish(combine_states<F>(states, chunks), n);
}

}  // namespace jitune
