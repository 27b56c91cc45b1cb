// SPDX-License-Identifier: Apache-2.0
// In place of kernel_templates/include/jitune_finish.h where blocks are emulated.
#pragma once

#include "jitune_block.h"

namespace jitune {

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

}  // namespace jitune
