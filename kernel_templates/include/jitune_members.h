// How states of several members become one: each lane of a warp takes over a member and combines
// that alone, which needs a fifth of the exchanges that whole states need. Neighbouring lanes read
// and write neighbouring words of memory.
//
// `F` has, beside what an operation has,
//     kMembers                      of its state; they are words of one size, one behind the other
//     Word                          unsigned or unsigned long long
//     combine_member(member, a, b)  of two words, see combine_words()
#pragma once

#include "jitune_finish.h"

namespace jitune {

/// The states in two words, combined; a state may be narrower than its word.
template <class Op, class Word>
__device__ __forceinline__ Word combine_words(Word a, Word b) {
    typename Op::State first, second;
    memcpy(&first, &a, sizeof first);
    memcpy(&second, &b, sizeof second);
    const typename Op::State both = Op::combine(first, second);
    Word word = 0;
    memcpy(&word, &both, sizeof both);
    return word;
}

/// The lanes that a state of `members` members is spread over: a power of two.
constexpr int lanes_of(int members) {
    int lanes = 1;
    while (lanes < members) {
        lanes *= 2;
    }
    return lanes;
}

template <class F>
struct Members {
    using State = typename F::State;
    using Word = typename F::Word;
    static constexpr int kMembers = F::kMembers;
    static constexpr int kLanes = lanes_of(kMembers);
    static_assert(kLanes <= 32 && sizeof(State) == kMembers * sizeof(Word));

    struct Words {
        Word words[kLanes];
    };

    static __device__ __forceinline__ Words words_of(const State& state) {
        Words all{};
        memcpy(&all, &state, sizeof state);
        return all;
    }

    /// Of the `count` words from `member` on, each half of the lanes that differ in `mask` keeps
    /// half and gets the other lanes' share of it, and so on, until a lane has one word: of member
    /// number lane / (32 / kLanes), combined over the warp. It is a recursion, as combine_halves().
    template <int count, int mask>
    static __device__ __forceinline__ void fold(Words& all, int member) {
        if constexpr (mask > 0) {
            constexpr int kKept = count > 1 ? count / 2 : 1;
            const bool upper = count > 1 && (threadIdx.x & mask) != 0;
            member += upper ? kKept : 0;
#pragma unroll
            for (int i = 0; i < kKept; ++i) {
                const Word above = all.words[count > 1 ? i + kKept : i];
                const Word given = upper || count == 1 ? all.words[i] : above;
                const Word mine = upper ? above : all.words[i];
                all.words[i] = F::combine_member(member + i, mine, exchange(given, mask));
            }
            fold<kKept, mask / 2>(all, member);
        }
    }

    /// The combination of member threadIdx.x % kLanes over some rows, a power of two, in the first
    /// warp, all threads of which must call it.
    template <int rows>
    static __device__ __forceinline__ Word over_rows(const Word (&words)[rows][kLanes]) {
        constexpr int kShares = 32 / kLanes < rows ? 32 / kLanes : rows;
        const int member = threadIdx.x % kLanes;
        const int first = threadIdx.x / kLanes % kShares;
        Word word = words[first][member];
#pragma unroll 8
        for (int row = first + kShares; row < rows; row += kShares) {
            word = F::combine_member(member, word, words[row][member]);
        }
#pragma unroll
        for (int share = kShares / 2; share > 0; share /= 2) {
            word = F::combine_member(member, word, exchange(word, share * kLanes));
        }
        return word;
    }

    /// The combination of member threadIdx.x over the block, in threads [0, kMembers). All threads
    /// must call it.
    template <int block>
    static __device__ __forceinline__ Word over_block(const State& state) {
        constexpr int kShare = 32 / kLanes;
        __shared__ Word of_warps[block / 32][kLanes];
        Words all = words_of(state);
        fold<kLanes, 16>(all, 0);
        if (threadIdx.x % kShare == 0) {
            of_warps[threadIdx.x / 32][threadIdx.x % 32 / kShare] = all.words[0];
        }
        __syncthreads();
        return threadIdx.x < 32 ? over_rows(of_warps) : 0;
    }

    /// The same over `count` states that other blocks left in memory: in slots, for which it waits
    /// and which it empties, or as words.
    template <int block, bool in_slots>
    static __device__ __forceinline__ Word over_blocks(void* memory, unsigned count) {
        constexpr unsigned kRows = block / kLanes;
        constexpr int kInFlight = 8;
        __shared__ Word of_rows[kRows][kLanes];
        const unsigned member = threadIdx.x % kLanes;
        const unsigned row = threadIdx.x / kLanes;
        const Words none = words_of(F::identity());
        Word word = 0;
#pragma unroll
        for (int i = 0; i < kMembers; ++i) {
            word = member == unsigned(i) ? none.words[i] : word;
        }
        const unsigned mine = member < kMembers ? count : 0;
        for (unsigned start = row; start < mine; start += kInFlight * kRows) {
            Word words[kInFlight];
            bool all_there;
            do {
                all_there = true;
#pragma unroll
                for (int i = 0; i < kInFlight; ++i) {
                    const unsigned from = start + i * kRows;
                    const unsigned at = (from < count ? from : start) * kMembers + member;
                    if constexpr (in_slots) {
                        const auto slot = Slot<Word>::get(memory, at);
                        words[i] = slot.state();
                        all_there = all_there && slot.full != 0;
                    } else {
                        words[i] = static_cast<const volatile Word*>(memory)[at];
                    }
                }
            } while (!all_there);
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                const unsigned from = start + i * kRows;
                if (from < count) {
                    word = F::combine_member(member, word, words[i]);
                    if constexpr (in_slots) {
                        Slot<Word>::clear(memory, from * kMembers + member);
                    }
                }
            }
        }
        of_rows[row][member] = word;
        __syncthreads();
        return threadIdx.x < 32 ? over_rows(of_rows) : 0;
    }

    /// The state whose members the threads [0, kMembers) hold, in all threads of the first warp.
    static __device__ __forceinline__ State gather(Word word) {
        __shared__ Word gathered[kMembers];
        if (threadIdx.x < kMembers) {
            gathered[threadIdx.x] = word;
        }
        __syncwarp();
        State state;
        memcpy(&state, gathered, sizeof state);
        return state;
    }
};

/// Combines the states of the threads of a grid. True in one thread, whose `state` is then the
/// combination. The order does not depend on timing. Per block, slots take kMembers slots of
/// work.counters, and a ticket kMembers words of work.partials.
template <class F, int block, Finish finish>
__device__ __forceinline__ bool finish_members(typename F::State& state, const Work& work) {
    using All = Members<F>;
    using Word = typename F::Word;
    Word word = All::template over_block<block>(state);
    const bool has_member = threadIdx.x < All::kMembers;
    const unsigned mine = blockIdx.x * All::kMembers + threadIdx.x;
    if constexpr (finish == Finish::slots && kBlocksWait<Word>) {
        const unsigned others = gridDim.x - 1;
        if (blockIdx.x != others) {
            if (has_member) {
                Slot<Word>::put(work.counters, mine, word);
            }
            return false;
        }
        wait_for_stores();
        const Word before = All::template over_blocks<block, true>(work.counters, others);
        word = has_member ? F::combine_member(threadIdx.x, before, word) : 0;
    } else if constexpr (finish == Finish::slots || finish == Finish::ticket) {
        __shared__ bool last;
        if (has_member) {
            static_cast<Word*>(work.partials)[mine] = word;
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            last = arrives_last(static_cast<unsigned*>(work.counters), gridDim.x);
        }
        __syncthreads();
        if (!last) {
            return false;
        }
        word = All::template over_blocks<block, false>(work.partials, gridDim.x);
    } else {
        static_assert(finish == Finish::direct);
    }
    state = All::gather(word);
    return threadIdx.x == 0;
}

}  // namespace jitune
