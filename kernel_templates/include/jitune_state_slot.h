// A state of any size that a thread leaves for another one of the grid.
#pragma once

#include "jitune_finish.h"

namespace jitune {

/// A state of up to 16 bytes in slots of its own, which one thread fills and one empties.
template <class State>
struct StateSlot {
    static constexpr int kCount = (sizeof(State) + 7) / 8;
    using Part = Pack<unsigned, sizeof(State) <= 4 ? 1 : 2>;
    struct Parts {
        Part parts[kCount];
    };

    static __device__ __forceinline__ void put(void* slots, unsigned index, const State& state) {
        Parts all{};
        memcpy(&all, &state, sizeof state);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            Slot<Part>::put(slots, index * kCount + i, all.parts[i]);
        }
    }
    /// Waits for the state and leaves the slots empty.
    static __device__ __forceinline__ State take(void* slots, unsigned index) {
        Parts all;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            auto slot = Slot<Part>::get(slots, index * kCount + i);
#pragma unroll 1
            while (slot.full == 0) {
                slot = Slot<Part>::get(slots, index * kCount + i);
            }
            all.parts[i] = slot.state();
            Slot<Part>::clear(slots, index * kCount + i);
        }
        State state;
        memcpy(&state, &all, sizeof state);
        return state;
    }
};

}  // namespace jitune
