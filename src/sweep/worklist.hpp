// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sweep/work_item.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// The items of a work-list, those first that WorkOrder would tune first, with its estimates.
std::vector<WorkItem> worklist(std::vector<CallRecord> misses, std::span<const Winner> winners);

/// How many of them no winner serves: the others have a provisional one.
std::int64_t unserved(std::span<const WorkItem> items);

/// That of a database. Throws Error(store).
inline std::vector<WorkItem> worklist_of(TuningStore& store) {
    return worklist(store.calls().misses(), store.winners());
}

}  // namespace jitune::internal
