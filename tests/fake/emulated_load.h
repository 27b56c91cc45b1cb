// SPDX-License-Identifier: Apache-2.0
// In place of kernel_templates/include/jitune_load.h where blocks are emulated.
#pragma once

#include "jitune_block.h"

namespace jitune {

enum class Load { standard, streaming, evict_first };

inline void wait_for_earlier_work() {}

template <Load>
struct Loader {
    template <class P>
    P operator()(const P* from) const {
        return *from;
    }
};

}  // namespace jitune
