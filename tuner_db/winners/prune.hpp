// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "tuner_db/winners/record.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

/// What may be deleted from a database. Pinned winners stay. While a key stays, its measurements
/// that say that a configuration computes a wrong result stay, too, because they refute winners.
struct PruneRules {
    static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

    std::function<bool(const RecordKey&)> is_dead = {};  ///< keys that nobody asks for; null: none
    std::int64_t measurements_per_key = kAll;            ///< the younger ones stay
    std::int64_t bytes = kAll;  ///< of all rows; the oldest measurements go, and no winners
    bool dry_run = false;       ///< reports, and changes nothing
};

struct PruneReport {
    std::int64_t winners = 0;  ///< winners of dead keys, and refuted ones
    std::int64_t measurements = 0;
    std::int64_t binaries = 0;
};

/// Prunes. Call it in a write transaction.
PruneReport prune_rows(sqlite::Connection& connection, WinnerTable& winners,
                       const PruneRules& rules);

/// Does what TuningStore::remove() says. Call it in a write transaction.
std::int64_t remove_winners(sqlite::Connection& connection, WinnerTable& table,
                            std::span<const Winner> winners, bool also_measurements);

/// Deletes the older measurements of each key, so that this many are left; measurements that refute
/// winners always stay. Returns the number of deleted rows. Call it in a write transaction.
std::int64_t trim_measurements(sqlite::Connection& connection, std::span<const RecordKey> keys,
                               std::int64_t most);

/// After a tuning, a key has at most so many measurements.
inline constexpr std::int64_t kMostMeasurements = 20'000;

}  // namespace jitune::internal
