// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/open_store.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The table `measurement`, append-only. Leaves damaged rows out, and counts them. Thread-safe but
/// for put(). Functions throw Error(store).
class StoredMeasurements {
public:
    explicit StoredMeasurements(OpenStore& store);

    /// A key that has been measured, and the number of its measurements.
    struct Key {
        RecordKey key;
        std::int64_t measurements = 0;
    };
    /// Every key that measurements have, ordered by kernel, types, device class and bucket. Counts
    /// damaged rows, too, because it reads no row.
    std::vector<Key> keys();

    /// The measurements of one key, oldest first.
    std::vector<Measurement> of(const RecordKey& key);

    /// The measurements of all keys that were stored after those that an earlier call has returned,
    /// in the order in which they were stored. `last` is 0 for all of them, and becomes what the
    /// next call is given.
    std::vector<Measurement> after(std::int64_t& last);

    /// Those whose conditions say "compared", of this key with any bucket that is at most so many
    /// half-octaves away in each size, oldest first.
    std::vector<Measurement> comparisons(const RecordKey& key, int half_octaves = kAllSizes);
    static constexpr int kAllSizes = 255;

    /// The digests of all of them, sorted, as their rows state them.
    std::vector<std::string> digests();

    /// Adds a to_row(); false if the table has it already. Call it in a write transaction.
    bool put(const sqlite::Row& row);

private:
    /// Those of wanted keys that a statement finds with these parameters.
    std::vector<Measurement> find(sqlite::Statement& statement, const sqlite::Row& parameters,
                                  const std::function<bool(const RecordKey&)>& is_wanted);

    OpenStore& store_;
    sqlite::Statement of_key_, comparisons_, between_, put_, changes_;
};

}  // namespace jitune::internal
