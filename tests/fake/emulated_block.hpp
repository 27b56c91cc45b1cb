// SPDX-License-Identifier: Apache-2.0
// CUDA's words for kernels that ordinary threads of control run, one block after the other: each
// CUDA thread is a context of its own, which gives way to the others at barriers and warp
// functions. For the logic of a kernel, with as few threads and elements as show it. A kernel's own
// headers must come after this one, from the folder `emulated` (tests/CMakeLists.txt), whose
// jitune_finish.h and jitune_load.h hold no PTX.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__
#define __shared__ static  // of the block that runs now
#define __align__(bytes) __attribute__((aligned(bytes)))

struct uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

namespace jitune::emulated {

struct Dimensions {
    unsigned x = 1;
};

/// How many have arrived where all of a group meet.
struct Meeting {
    unsigned size = 0;
    unsigned arrived = 0;
    unsigned turn = 0;
};

/// The threads of the block that runs now.
class Block {
public:
    static Block& now() {
        static Block block;
        return block;
    }

    /// Runs `kernel` in each of `threads` threads, a multiple of 32, until all have returned.
    /// Throws std::logic_error if they wait for each other for ever.
    void run(unsigned threads, std::function<void()> kernel) {
        kernel_ = std::move(kernel);
        all_ = {threads};
        warps_.assign(threads / 32, {32});
        words_.assign(2 * threads, 0);
        for (unsigned i = 0; i < threads; ++i) {
            contexts_[i].is_done = false;
        }
        left_ = threads;
        for (unsigned rounds = 0; left_ > 0; ++rounds) {
            if (rounds == 1'000'000) {
                std::for_each(contexts_, contexts_ + threads, [](Context& one) { one = {}; });
                throw std::logic_error("the threads of an emulated block wait for each other");
            }
            for (unsigned i = 0; i < threads / 32; ++i) {
                run_warp((rounds + i) % (threads / 32));
            }
        }
    }

    [[nodiscard]] unsigned thread() const { return current_; }

    void meet_all() { meet(all_); }

    /// `result` of the words of all lanes of the warp, of which this thread gives one. A warp has
    /// room for two turns, since some lanes give their next word before others have read.
    template <class Result>
    unsigned long long share(unsigned long long word, const Result& result) {
        Meeting& warp = warps_[current_ / 32];
        unsigned long long* const words = &words_[(current_ / 32 * 2 + warp.turn % 2) * 32];
        words[current_ % 32] = word;
        meet(warp);
        return result(words);
    }
    void meet_warp() { meet(warps_[current_ / 32]); }

    /// Lets the other threads go on, where one looks again and again for what they do.
    void give_way() {
        has_moved_ = false;
        leave();
    }

private:
    /// A thread begins as POSIX has it, once for all blocks. Afterwards jumps lead from one to the
    /// other, because swapcontext() calls the system for the mask of signals each time.
    struct Context {
        ucontext_t begin{};
        jmp_buf place{};
        bool is_done = false;
        const Meeting* waits_for = nullptr;  ///< until its turn ends
        unsigned turn = 0;
        std::unique_ptr<char[]> stack;
    };
    static constexpr std::size_t kStackBytes = 128 << 10;
    static constexpr unsigned kMostThreads = 1024;

    void start(Context& context) {
        context.stack.reset(new char[kStackBytes]);  // pages are used as it grows
        getcontext(&context.begin);
        context.begin.uc_stack.ss_sp = context.stack.get();
        context.begin.uc_stack.ss_size = kStackBytes;
        makecontext(
            &context.begin,
            [] {
                while (true) {
                    now().kernel_();
                    now().contexts_[now().current_].is_done = true;
                    now().leave();
                }
            },
            0);
    }

    /// Runs a warp until it waits for others. It leaves them as far behind as barriers let it.
    void run_warp(unsigned warp) {
        bool any_has_moved;
        do {
            any_has_moved = false;
            for (current_ = 32 * warp; current_ < 32 * (warp + 1); ++current_) {
                Context& context = contexts_[current_];
                if (context.is_done ||
                    (context.waits_for != nullptr && context.waits_for->turn == context.turn)) {
                    continue;
                }
                has_moved_ = true;
                go_on(context);
                any_has_moved = any_has_moved || has_moved_;
                left_ -= context.is_done ? 1 : 0;
            }
        } while (any_has_moved);
    }

    void leave() {
        if (_setjmp(contexts_[current_].place) == 0) {
            _longjmp(scheduler_, 1);
        }
    }

    /// Returns when the thread gives way, or has ended.
    void go_on(Context& context) {
        if (_setjmp(scheduler_) != 0) {
            return;
        }
        if (context.stack) {
            _longjmp(context.place, 1);
        }
        start(context);
        setcontext(&context.begin);
    }

    void meet(Meeting& meeting) {
        const unsigned turn = meeting.turn;
        if (++meeting.arrived == meeting.size) {
            meeting.arrived = 0;
            ++meeting.turn;
            return;
        }
        Context& context = contexts_[current_];
        context.waits_for = &meeting;
        context.turn = turn;
        leave();
        context.waits_for = nullptr;
    }

    std::function<void()> kernel_;
    jmp_buf scheduler_{};
    Context contexts_[kMostThreads];
    std::vector<unsigned long long> words_;
    Meeting all_;
    std::vector<Meeting> warps_;
    unsigned current_ = 0;
    unsigned left_ = 0;
    bool has_moved_ = false;
};

struct ThreadIndex {
    struct X {
        operator unsigned() const { return Block::now().thread(); }
    } x;
};

}  // namespace jitune::emulated

inline jitune::emulated::Dimensions gridDim;
inline jitune::emulated::Dimensions blockDim;
inline jitune::emulated::Dimensions blockIdx;
inline jitune::emulated::ThreadIndex threadIdx;

inline void __syncthreads() {
    jitune::emulated::Block::now().meet_all();
}
inline void __syncwarp() {
    jitune::emulated::Block::now().meet_warp();
}
template <class Word>
Word __shfl_sync(unsigned, Word word, unsigned lane) {
    return static_cast<Word>(jitune::emulated::Block::now().share(
        word, [&](const unsigned long long* words) { return words[lane % 32]; }));
}
template <class Word>
Word __shfl_up_sync(unsigned mask, Word word, unsigned distance) {
    const unsigned lane = threadIdx.x % 32;
    return __shfl_sync(mask, word, lane < distance ? lane : lane - distance);
}
inline unsigned __shfl_xor_sync(unsigned mask, unsigned word, unsigned lane_mask) {
    return __shfl_sync(mask, word, threadIdx.x % 32 ^ lane_mask);
}
inline unsigned __ballot_sync(unsigned, bool yes) {
    return static_cast<unsigned>(
        jitune::emulated::Block::now().share(yes ? 1 : 0, [](const unsigned long long* words) {
            unsigned bits = 0;
            for (unsigned lane = 0; lane < 32; ++lane) {
                bits |= static_cast<unsigned>(words[lane]) << lane;
            }
            return bits;
        }));
}
inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}
inline int __clz(unsigned bits) {
    return bits == 0 ? 32 : __builtin_clz(bits);
}
inline void __threadfence() {}
inline unsigned atomicAdd(unsigned* to, unsigned value) {
    return std::exchange(*to, *to + value);
}
inline unsigned atomicInc(unsigned* to, unsigned last) {
    return std::exchange(*to, *to >= last ? 0 : *to + 1);
}
template <class A>
A min(A a, A b) {
    return std::min(a, b);
}
template <class A>
A max(A a, A b) {
    return std::max(a, b);
}
