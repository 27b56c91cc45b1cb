// SPDX-License-Identifier: Apache-2.0
// In place of kernel_templates/include/jitune_finish.h where blocks are emulated, one after the
// other in any order. No block waits for one that has not begun: the last one to come finishes.
#pragma once

#include <cstring>

#include "jitune_block.h"

namespace jitune {

enum class Finish { direct, slots, ticket };

template <class>
constexpr bool kBlocksWait = false;

inline void wait_for_stores() {}

struct Work {
    void* partials;
    void* counters;
};

/// A state in memory, as many bytes as in the kernels' own.
template <class State>
struct Stored {
    static constexpr unsigned kBytes = sizeof(State) <= 4   ? 4
                                       : sizeof(State) <= 8 ? 8
                                                            : (sizeof(State) + 15) / 16 * 16;
    alignas(kBytes < 16 ? kBytes : 16) unsigned char bytes[kBytes]{};

    explicit Stored(const State& state) { std::memcpy(bytes, &state, sizeof state); }
    explicit Stored(const volatile Stored* from) {
        std::memcpy(bytes, const_cast<const Stored*>(from)->bytes, kBytes);
    }
    [[nodiscard]] State state() const {
        State result;
        std::memcpy(&result, bytes, sizeof result);
        return result;
    }
};

inline bool arrives_last(unsigned* counter, unsigned total) {
    *counter = (*counter + 1) % total;
    return *counter == 0;
}

template <class State>
struct Slot {
    State value;
    unsigned full;

    static void put(void* slots, unsigned index, const State& state) {
        static_cast<Slot*>(slots)[index] = {state, 1};
    }
    static void clear(void* slots, unsigned index) { static_cast<Slot*>(slots)[index] = {}; }
    /// Lets the other threads go on where nothing is there yet.
    static Slot get(void* slots, unsigned index) {
        const Slot slot = static_cast<Slot*>(slots)[index];
        if (slot.full == 0) {
            emulated::Block::now().give_way();
        }
        return slot;
    }
    [[nodiscard]] State state() const { return value; }
};

/// A state among others in work memory, as many bytes apart as in the kernels' own.
template <class State, unsigned bytes>
struct Place {
    static void put(void* memory, unsigned index, const State& state) {
        std::memcpy(static_cast<char*>(memory) + std::size_t{bytes} * index, &state, sizeof state);
    }
    static State get(const void* memory, unsigned index) {
        State state;
        std::memcpy(&state, static_cast<const char*>(memory) + std::size_t{bytes} * index,
                    sizeof state);
        return state;
    }
};

/// The combination of `count` states in their order, in warp 0.
template <class Op, int block, class Places>
typename Op::State combine_places(const void* memory, unsigned count) {
    auto state = Op::identity();
    for (unsigned i = threadIdx.x; i < count; i += block) {
        state = Op::combine(state, Places::get(memory, i));
    }
    __syncthreads();
    return combine_block<Op, block>(state);
}

template <class Op, int block>
bool finish_by_ticket(typename Op::State& state, const Work& work) {
    using State = typename Op::State;
    using Partials = Place<State, Stored<State>::kBytes>;
    __shared__ bool last;
    if (threadIdx.x == 0) {
        Partials::put(work.partials, blockIdx.x, state);
        last = arrives_last(static_cast<unsigned*>(work.counters), gridDim.x);
    }
    __syncthreads();
    if (last) {
        state = combine_places<Op, block, Partials>(work.partials, gridDim.x);
    }
    return last;
}

/// Each slot is half its state and half, in its last word, whether the state is there.
template <class Op, int block>
bool finish_by_slots(typename Op::State& state, void* slots, unsigned me, unsigned count) {
    using State = typename Op::State;
    constexpr unsigned kBytes = sizeof(State) <= 4 ? 8 : (sizeof(State) + 7) / 8 * 16;
    constexpr unsigned kWords = kBytes / sizeof(unsigned);
    __shared__ bool last;
    auto* const words = static_cast<unsigned*>(slots);
    if (threadIdx.x == 0) {
        Place<State, kBytes>::put(slots, me, state);
        words[me * kWords + kWords - 1] = 1;
        last = true;
        for (unsigned i = 0; i < count; ++i) {
            last = last && words[i * kWords + kWords - 1] == 1;
        }
    }
    __syncthreads();
    if (last) {
        state = combine_places<Op, block, Place<State, kBytes>>(slots, count);
        if (threadIdx.x == 0) {
            std::memset(slots, 0, std::size_t{count} * kBytes);
        }
    }
    return last;
}

/// True in one thread of the grid, whose `state` is then the combination over it.
template <class Op, int block, Finish finish, int cluster>
bool finish_grid(typename Op::State& state, const Work& work) {
    static_assert(cluster == 1);
    if constexpr (finish == Finish::direct) {
        return threadIdx.x == 0;
    } else if constexpr (finish == Finish::slots) {
        return finish_by_slots<Op, block>(state, work.counters, blockIdx.x, gridDim.x) &&
               threadIdx.x == 0;
    } else {
        return finish_by_ticket<Op, block>(state, work) && threadIdx.x == 0;
    }
}

}  // namespace jitune
