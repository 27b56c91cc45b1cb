// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tuner_db/calls/call_record.hpp"

namespace jitune::internal {

/// Problems that calls had no winner for, or a provisional one, of one key and thus within half an
/// octave, so that one tuning is for all of them; with what it is worth.
struct WorkItem {
    std::vector<CallRecord> misses;  ///< at least one, those called most first
    double call_ns = 0;  ///< estimated time of a call of the first, as it is answered now
    double saved_s = 0;  ///< estimated time that a winner would have saved in all their calls
    double tune_s = 0;   ///< estimated time of its tuning
    bool is_provisional = false;  ///< the first has a winner, which deserves_another_try()

    [[nodiscard]] std::int64_t calls() const;
};

}  // namespace jitune::internal
