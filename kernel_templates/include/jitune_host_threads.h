// Work for several threads.
#pragma once

#include "jitune_types.h"

/// Calls work(context, first, count) for parts of [0, count), on up to `threads` threads, and
/// returns when all are done. Whoever loads the kernel sets it (HostImage).
extern "C" {
__attribute__((weak, visibility("default"))) void (*jitune_run_on_threads)(
    void (*work)(const void* context, jitune::Index first, jitune::Index count),
    const void* context, jitune::Index count, int threads) = nullptr;
}

namespace jitune {

/// One thread's least work in bytes: less is done sooner than a thread wakes up.
constexpr Index kShareBytes = 65536;
constexpr int kMaxThreads = 1024;

JITUNE_FUNCTION constexpr Index smaller(Index a, Index b) { return a < b ? a : b; }
JITUNE_FUNCTION constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// How many of `threads` have their least work in `bytes` of data; at least 1.
JITUNE_FUNCTION int useful_threads(int threads, Index bytes) {
    const Index most = smaller(bytes / kShareBytes, kMaxThreads);
    return most < 2 || threads < 2 ? 1 : static_cast<int>(smaller(most, threads));
}

/// `total` units split into `shares` that differ by one at most: where a share begins. Each product
/// fits: 2^40 units in 2^20 shares.
JITUNE_FUNCTION Index share_begin(Index total, Index share, Index shares) {
    return total * share / shares;
}

/// Calls work(i) for each i below `count`; whoever is free takes the next. The calling thread takes
/// part. For one thread none is woken.
template <class Work>
void for_each(Index count, int threads, const Work& work) {
    if (threads <= 1 || count <= 1 || jitune_run_on_threads == nullptr) {
        for (Index i = 0; i < count; ++i) {
            work(i);
        }
        return;
    }
    const auto call = [](const void* context, Index first, Index count) {
        const Work& work = *static_cast<const Work*>(context);
        for (Index i = first; i < first + count; ++i) {
            work(i);
        }
    };
    jitune_run_on_threads(call, &work, count, threads);
}

/// The combination of states in a fixed tree, which rounds less than a chain; the first becomes it.
template <class Op, class State>
JITUNE_FUNCTION State combine_states(State* states, int count) {
    for (int stride = 1; stride < count; stride *= 2) {
        for (int i = 0; i + stride < count; i += 2 * stride) {
            states[i] = Op::combine(states[i], states[i + stride]);
        }
    }
    return states[0];
}

}  // namespace jitune
