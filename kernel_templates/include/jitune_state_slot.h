// A state of any size that a thread leaves for another one of the grid.
#pragma once

#include "jitune_finish.h"

namespace jitune {

/// A state of up to 16 bytes, in a slot of 8 bytes for each 4 of it, which one thread fills and one
/// empties. The words may arrive in any order. Slots of 16 bytes would need 128-bit atomics, which
/// PTX has since 8.3 (NVRTC 12.3).
template <class State>
struct StateSlot {
    static constexpr int kCount = (sizeof(State) + 3) / 4;
    using Word = Pack<unsigned, 1>;
    struct Words {
        Word words[kCount];
    };

    static __device__ __forceinline__ void put(void* slots, unsigned index, const State& state) {
        Words all{};
        memcpy(&all, &state, sizeof state);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            Slot<Word>::put(slots, index * kCount + i, all.words[i]);
        }
    }
    /// Waits for the state and leaves the slots empty.
    static __device__ __forceinline__ State take(void* slots, unsigned index) {
        Slot<Word> found[kCount];
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            found[i] = Slot<Word>::get(slots, index * kCount + i);
        }
        Words all;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
#pragma unroll 1
            while (found[i].full == 0) {
                found[i] = Slot<Word>::get(slots, index * kCount + i);
            }
            all.words[i] = found[i].state();
            Slot<Word>::clear(slots, index * kCount + i);
        }
        State state;
        memcpy(&state, &all, sizeof state);
        return state;
    }
};

}  // namespace jitune
