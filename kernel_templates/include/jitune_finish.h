// How the states of the blocks of a grid become one. All threads of a block call these functions;
// the state of a block is valid in its warp 0, and so is what they return.
#pragma once

#include "jitune_block.h"

namespace jitune {

enum class Finish {
    direct,        ///< there is one block
    slots,         ///< each block fills a slot, and the last block waits for all of them
    ticket,        ///< the block that draws the last ticket combines what the others stored
    packed,        ///< one 64-bit atomic adds a block's sum and counts it
    atomic,        ///< atomics add the sums in the order in which the blocks end
    cluster,       ///< the blocks of a cluster combine in shared memory, the clusters by slots
    two_launches,  ///< a second launch combines what the blocks stored
};

/// Whether blocks may wait for each other's slots of such a state. If not, Finish::slots is by
/// tickets. Slots need relaxed loads and stores, which sm_70 brought; of more than 4 bytes 128-bit
/// ones, which PTX has since 8.3 (NVRTC 12.3). Where blocks are emulated one after the other, none
/// may wait.
template <class State>
constexpr bool kBlocksWait =
#if __CUDA_ARCH__ >= 700
    sizeof(State) <= 4 || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1203;
#else
    false;
#endif

/// Work memory of a grid: per block 16 bytes each, or for larger states what Stored and SlotGroup take.
struct Work {
    void* partials;  ///< of any content
    void* counters;  ///< zero before the grid and left zero, so that a graph can replay it
};

/// A state in memory: 4, 8 or a multiple of 16 bytes.
template <class State>
struct Stored {
    static constexpr int kWords =
        sizeof(State) <= 4 ? 1 : sizeof(State) <= 8 ? 2 : (sizeof(State) + 15) / 16 * 4;
    struct alignas(kWords < 4 ? 4 * kWords : 16) Words {
        unsigned values[kWords];
    } words;

    __device__ __forceinline__ explicit Stored(const State& state) : words{} {
        memcpy(&words, &state, sizeof state);
    }
    /// Reads past L1, because another SM wrote it.
    __device__ __forceinline__ explicit Stored(const volatile Stored* from) {
#pragma unroll
        for (int i = 0; i < kWords; ++i) {
            words.values[i] = from->words.values[i];
        }
    }
    __device__ __forceinline__ State state() const {
        State result;
        memcpy(&result, &words, sizeof result);
        return result;
    }
};

/// The combination of `count` partials that other blocks stored, in the order of the blocks.
template <class Op, int block>
__device__ __forceinline__ typename Op::State combine_partials(const void* partials,
                                                               unsigned count) {
    using Partial = Stored<typename Op::State>;
    auto state = Op::identity();
    for (unsigned i = threadIdx.x; i < count; i += block) {
        const Partial partial(static_cast<const volatile Partial*>(partials) + i);
        state = Op::combine(state, partial.state());
    }
    __syncthreads();
    return combine_block<Op, block>(state);
}

/// Counts an arrival: true for the last of `total`, which then sees what the others wrote before
/// they arrived. The counter wraps to zero by itself.
__device__ __forceinline__ bool arrives_last(unsigned* counter, unsigned total) {
    unsigned before;
    asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "l"(counter), "r"(total - 1)
                 : "memory");
    return before == total - 1;
}

/// Partials and a ticket, as in the CUDA samples' threadFenceReduction. True in the block that
/// holds the combination.
template <class Op, int block>
__device__ __forceinline__ bool finish_by_ticket(typename Op::State& state, const Work& work) {
    using Partial = Stored<typename Op::State>;
    __shared__ bool last;
    if (threadIdx.x == 0) {
        static_cast<Partial*>(work.partials)[blockIdx.x] = Partial(state);
        last = arrives_last(static_cast<unsigned*>(work.counters), gridDim.x);
    }
    __syncthreads();
    if (last) {
        state = combine_partials<Op, block>(work.partials, gridDim.x);
    }
    return last;
}

/// Writes or reads a slot of 16 bytes whole.
__device__ __forceinline__ void put_wide(void* slots, unsigned index, ulonglong2 word) {
    asm volatile(
        "{ .reg .b128 word; mov.b128 word, {%1, %2}; st.relaxed.gpu.global.b128 [%0], word; }" ::"l"(
            static_cast<ulonglong2*>(slots) + index),
        "l"(word.x), "l"(word.y)
        : "memory");
}
__device__ __forceinline__ ulonglong2 get_wide(void* slots, unsigned index) {
    ulonglong2 word;
    asm volatile(
        "{ .reg .b128 word; ld.relaxed.gpu.global.b128 word, [%2]; mov.b128 {%0, %1}, word; }"
        : "=l"(word.x), "=l"(word.y)
        : "l"(static_cast<ulonglong2*>(slots) + index)
        : "memory");
    return word;
}

/// A state and a flag that it is there, in one word that memory reads and writes whole: 8 bytes for
/// states of 4, 16 for states of 8. No fence is needed between them.
template <class State>
struct Slot {
    static_assert(sizeof(State) <= 8, "slots take states of at most 8 bytes");
    static constexpr bool kNarrow = sizeof(State) <= 4;

    unsigned long long value;
    unsigned long long full;  ///< narrow: in the upper half of `value` instead

    static __device__ __forceinline__ void put(void* slots, unsigned index, const State& state) {
        write(slots, index, bits(state), 1);
    }
    static __device__ __forceinline__ void clear(void* slots, unsigned index) {
        write(slots, index, 0, 0);
    }
    static __device__ __forceinline__ Slot get(void* slots, unsigned index) {
        Slot slot{};
        if constexpr (kNarrow) {
            asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                         : "=l"(slot.value)
                         : "l"(static_cast<unsigned long long*>(slots) + index)
                         : "memory");
            slot.full = slot.value >> 32;
        } else {
            const ulonglong2 word = get_wide(slots, index);
            slot.value = word.x;
            slot.full = word.y;
        }
        return slot;
    }
    __device__ __forceinline__ State state() const {
        State result;
        memcpy(&result, &value, sizeof result);
        return result;
    }

private:
    static __device__ __forceinline__ unsigned long long bits(const State& state) {
        unsigned long long result = 0;
        memcpy(&result, &state, sizeof state);
        return result;
    }
    static __device__ __forceinline__ void write(void* slots, unsigned index,
                                                 unsigned long long value,
                                                 unsigned long long full) {
        if constexpr (kNarrow) {
            asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(
                             static_cast<unsigned long long*>(slots) + index),
                         "l"(value | full << 32)
                         : "memory");
        } else {
            put_wide(slots, index, {value, full});
        }
    }
};

/// The word of a state of 9 to 16 bytes that marks a slot as full: one behind the state, or the upper
/// word of a float in it, kNanWord of the operation; -1 if there is none.
template <class Op>
constexpr int mark_word() {
    constexpr auto kBytes = sizeof(typename Op::State);
    if constexpr (kBytes > 8 && kBytes <= 12) {
        return 3;
    } else if constexpr (kBytes > 12 && kBytes <= 16 && requires { Op::kNanWord; }) {
        return Op::kNanWord;
    } else {
        return -1;
    }
}

/// A slot of 16 bytes for such a state. An empty one is zero, so that the mark is stored as its
/// difference from a NaN, and that NaN as another.
template <class Op>
struct MarkedSlot {
    using State = typename Op::State;
    static constexpr int kMark = mark_word<Op>();
    static constexpr unsigned kNan = sizeof(State) <= 12 ? 0 : 0x7ff8beef;
    struct Words {
        unsigned words[4];
    };

    Words value;
    unsigned full;

    static __device__ __forceinline__ void put(void* slots, unsigned index, const State& state) {
        Words all{};
        memcpy(&all, &state, sizeof state);
        const unsigned mark = all.words[kMark] ^ kNan;
        all.words[kMark] = mark == 0 ? 1 : mark;
        put_wide(slots, index, __builtin_bit_cast(ulonglong2, all));
    }
    static __device__ __forceinline__ void clear(void* slots, unsigned index) {
        put_wide(slots, index, {0, 0});
    }
    static __device__ __forceinline__ MarkedSlot get(void* slots, unsigned index) {
        const auto all = __builtin_bit_cast(Words, get_wide(slots, index));
        return {all, all.words[kMark]};
    }
    __device__ __forceinline__ State state() const {
        Words all = value;
        all.words[kMark] ^= kNan;
        State result;
        memcpy(&result, &all, sizeof result);
        return result;
    }
};

/// The slots of a larger state, one for each 8 bytes of it. They may fill in any order.
template <class State>
struct SlotGroup {
    using Piece = Pack<unsigned, 2>;
    static constexpr unsigned kCount = (sizeof(State) + 7) / 8;
    struct Pieces {
        Piece pieces[kCount];
    };

    Pieces value;
    unsigned long long full;

    static __device__ __forceinline__ void put(void* slots, unsigned index, const State& state) {
        Pieces all{};
        memcpy(&all, &state, sizeof state);
#pragma unroll
        for (unsigned i = 0; i < kCount; ++i) {
            Slot<Piece>::put(slots, index * kCount + i, all.pieces[i]);
        }
    }
    static __device__ __forceinline__ void clear(void* slots, unsigned index) {
#pragma unroll
        for (unsigned i = 0; i < kCount; ++i) {
            Slot<Piece>::clear(slots, index * kCount + i);
        }
    }
    static __device__ __forceinline__ SlotGroup get(void* slots, unsigned index) {
        SlotGroup group;
        group.full = 1;
#pragma unroll
        for (unsigned i = 0; i < kCount; ++i) {
            const auto slot = Slot<Piece>::get(slots, index * kCount + i);
            group.value.pieces[i] = slot.state();
            group.full &= slot.full;
        }
        return group;
    }
    __device__ __forceinline__ State state() const {
        State result;
        memcpy(&result, &value, sizeof result);
        return result;
    }
};

template <class Op, bool is_large = (sizeof(typename Op::State) > 8),
          bool is_marked = (mark_word<Op>() >= 0)>
struct SlotsOf {
    using Type = Slot<typename Op::State>;
};
template <class Op>
struct SlotsOf<Op, true, false> {
    using Type = SlotGroup<typename Op::State>;
};
template <class Op>
struct SlotsOf<Op, true, true> {
    using Type = MarkedSlot<Op>;
};

/// Waits for the slots first, first + stride, … < count, empties them and combines their states.
/// Four are in flight at once, of states above 16 bytes one.
template <class Op>
__device__ __forceinline__ typename Op::State drain_slots(void* slots, unsigned first,
                                                          unsigned stride, unsigned count) {
    using One = typename SlotsOf<Op>::Type;
    constexpr int kInFlight = sizeof(typename Op::State) <= 16 ? 4 : 1;
    auto state = Op::identity();
    for (unsigned start = first; start < count; start += kInFlight * stride) {
        One slot[kInFlight];
        bool all_full;
        do {
            all_full = true;
#pragma unroll
            for (int i = 0; i < kInFlight; ++i) {
                const unsigned index = start + i * stride;
                slot[i] = One::get(slots, index < count ? index : start);
                all_full = all_full && slot[i].full != 0;
            }
        } while (!all_full);
#pragma unroll
        for (int i = 0; i < kInFlight; ++i) {
            const unsigned index = start + i * stride;
            if (index < count) {
                state = Op::combine(state, slot[i].state());
                One::clear(slots, index);
            }
        }
    }
    return state;
}

/// The combination of the states in `count` slots, in warp 0. One warp alone drains few of them, and
/// needs no barrier; the code is the same, for a copy of it would take a sixth of the kernel's
/// compile time.
template <class Op, int block>
__device__ __forceinline__ typename Op::State collect_slots(void* slots, unsigned count) {
    // Slots that one warp drains in two rounds.
    constexpr unsigned kOneWarp = sizeof(typename Op::State) <= 16 ? 256 : 64;
    const bool few = count <= kOneWarp;
    if (few && threadIdx.x >= 32) {
        return Op::identity();
    }
    const auto drained = drain_slots<Op>(slots, threadIdx.x, few ? 32 : block, count);
    if (few) {
        return combine_warp<Op>(drained);
    }
    __syncthreads();
    return combine_block<Op, block>(drained);
}

/// Waits for 300 cycles, some 150 ns on an H100. Without this wait, float64 sums of 2^14 to 2^16
/// elements take 0.23 to 0.32 us longer there. The likely reason: blocks of equal work end at about
/// the same time, and a collector that looks at once finds slots empty and has to look again.
__device__ __forceinline__ void wait_for_stores() {
    constexpr unsigned kCycles = 300;
    const auto begin = static_cast<unsigned>(clock());
    while (static_cast<unsigned>(clock()) - begin < kCycles) {
    }
}

/// Participant `me` of `count` fills its slot; the last one waits for the others. It alone waits,
/// and they need nothing of it, so that no grid is too large. True in the block that holds the
/// combination. The state goes to the collector by one store; a ticket takes a store, a fence and
/// an atomic.
template <class Op, int block>
__device__ __forceinline__ bool finish_by_slots(typename Op::State& state, void* slots,
                                                unsigned me, unsigned count) {
    const unsigned others = count - 1;
    if (me != others) {
        if (threadIdx.x == 0) {
            SlotsOf<Op>::Type::put(slots, me, state);
        }
        return false;
    }
    state = Op::combine(state, collect_slots<Op, block>(slots, others));
    return true;
}

/// Sums of 32-bit integers: the sum in the upper half of one word, whose carry falls off, the
/// blocks that have arrived in the lower half. True in the thread that holds the combination.
template <class Op>
__device__ __forceinline__ bool finish_packed(typename Op::State& state, const Work& work) {
    static_assert(Op::kCombination == Combination::add && sizeof(state) == 4);
    if (threadIdx.x != 0) {
        return false;
    }
    auto* word = static_cast<unsigned long long*>(work.counters);
    const auto sum = static_cast<unsigned>(state);
    const unsigned long long before =
        atomicAdd(word, static_cast<unsigned long long>(sum) << 32 | 1u);
    if (static_cast<unsigned>(before) != gridDim.x - 1) {
        return false;
    }
    state = static_cast<typename Op::State>(static_cast<unsigned>(before >> 32) + sum);
    *word = 0;
    return true;
}

/// Sums by atomics. The bits of a sum of floats depend on when the blocks end. True in the thread
/// that holds the combination.
template <class Op>
__device__ __forceinline__ bool finish_by_atomics(typename Op::State& state, const Work& work) {
    static_assert(Op::kCombination == Combination::add);
    using State = typename Op::State;
    if (threadIdx.x != 0) {
        return false;
    }
    auto* counter = static_cast<unsigned*>(work.counters);
    void* total = static_cast<char*>(work.counters) + 8;
    if constexpr (kSame<State, long long>) {
        atomicAdd(static_cast<unsigned long long*>(total), static_cast<unsigned long long>(state));
    } else {
        atomicAdd(static_cast<State*>(total), state);
    }
    if (!arrives_last(counter, gridDim.x)) {
        return false;
    }
    state = *static_cast<volatile State*>(total);
    *static_cast<State*>(total) = State(0);
    return true;
}

#if __CUDA_ARCH__ >= 900
/// The combination over the cluster in its first block, through that block's shared memory. True
/// there. begin_finish() must have been called.
template <class Op, int cluster>
__device__ __forceinline__ bool finish_cluster(typename Op::State& state) {
    using State = typename Op::State;
    __shared__ State states[cluster];
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");  // all blocks have started
    if (threadIdx.x == 0) {
        State* there;
        asm volatile("mapa.u64 %0, %1, 0;" : "=l"(there) : "l"(&states[rank]));
        *there = state;
    }
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (rank == 0 && threadIdx.x < 32) {
        state = combine_warp<Op>(threadIdx.x < cluster ? states[threadIdx.x] : Op::identity());
    }
    return rank == 0;
}
#endif

/// To be called once, early, by all threads.
template <Finish finish>
__device__ __forceinline__ void begin_finish() {
#if __CUDA_ARCH__ >= 900
    if constexpr (finish == Finish::cluster) {
        asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    }
#endif
}

/// True in one thread, whose `state` is then the combination over the grid. Finish::two_launches
/// stores the partials and is never true.
template <class Op, int block, Finish finish, int cluster>
__device__ __forceinline__ bool finish_grid(typename Op::State& state, const Work& work) {
    if constexpr (finish == Finish::two_launches) {
        using Partial = Stored<typename Op::State>;
        if (threadIdx.x == 0) {
            static_cast<Partial*>(work.partials)[blockIdx.x] = Partial(state);
        }
        return false;
    } else if constexpr (finish == Finish::slots && kBlocksWait<typename Op::State>) {
        if (blockIdx.x == gridDim.x - 1) {
            wait_for_stores();
        }
        return finish_by_slots<Op, block>(state, work.counters, blockIdx.x, gridDim.x) &&
               threadIdx.x == 0;
    } else if constexpr (finish == Finish::slots || finish == Finish::ticket) {
        return finish_by_ticket<Op, block>(state, work) && threadIdx.x == 0;
    } else if constexpr (finish == Finish::packed) {
        return finish_packed<Op>(state, work);
    } else if constexpr (finish == Finish::atomic) {
        return finish_by_atomics<Op>(state, work);
#if __CUDA_ARCH__ >= 900
    } else if constexpr (finish == Finish::cluster) {
        return finish_cluster<Op, cluster>(state) &&
               finish_by_slots<Op, block>(state, work.counters, blockIdx.x / cluster,
                                          gridDim.x / cluster) &&
               threadIdx.x == 0;
#endif
    } else {
        return threadIdx.x == 0;
    }
}

}  // namespace jitune
