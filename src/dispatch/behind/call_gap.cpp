// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/call_gap.hpp"

namespace jitune::internal {

bool CallGap::look(bool called, Clock::time_point now) {
    if (called) {
        last_call_ = now;
    }
    const bool pauses = !last_call_ || now - *last_call_ >= kPause;
    if (!pauses && !since_) {
        since_ = now;
    }
    const bool has_turn = pauses || now - *since_ >= kLongest;
    if (has_turn && since_) {
        rested_ += now - *since_;
        since_.reset();
    }
    return has_turn;
}

}  // namespace jitune::internal
