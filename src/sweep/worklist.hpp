// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// Problems that calls had no winner for, of one key and thus within half an octave, so that one
/// tuning is for all of them; with what it is worth.
struct WorkItem {
    std::vector<Miss> misses;  ///< at least one, those called most first
    double call_ns = 0;        ///< estimated time of a call of the first
    double saved_s = 0;        ///< estimated time that a winner would have saved in all their calls

    [[nodiscard]] std::int64_t calls() const;
};

/// Orders misses by the time that tuning saves; all take about as long to tune. Both figures are
/// estimates from the winners of the same kernel on the same class of devices: a call takes as long
/// as the shortest of their defaults' times, or as its elements take at the lowest of these times
/// for an element, and a winner gains what these winners gained on average. Without such winners a
/// call takes 2 us, or 0.01 ns for each element, and gains a sixth.
std::vector<WorkItem> worklist(std::vector<Miss> misses, std::span<const Winner> winners);

/// That of a database. Throws Error(store).
inline std::vector<WorkItem> worklist_of(TuningStore& store) {
    return worklist(store.misses(), store.winners());
}

}  // namespace jitune::internal
