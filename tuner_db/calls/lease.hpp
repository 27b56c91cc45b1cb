// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/open_store.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The table `lease`: the owner that tunes a key. Leases only save work: correctness does not
/// depend on them. An owner is "<process_identity()> <name within the process>". All callers pass
/// the same `duration`. A lease that ends more than twice that from now was written by another
/// clock and is void: no row and no clock keeps others out for longer than that. Thread-safe.
/// Functions throw Error(store).
class Leases {
public:
    explicit Leases(OpenStore& store);

    /// The owner, other than `owner`, that tunes `key` now, or "".
    std::string holder(const RecordKey& key, const std::string& owner,
                       std::chrono::milliseconds duration);

    /// Gives `owner` the lease of `key` for `duration` from now, unless another has it; returns
    /// that owner, as holder() does. A second call prolongs the lease.
    std::string take(const RecordKey& key, const std::string& owner,
                     std::chrono::milliseconds duration);

    /// Ends the lease of `owner`, if it still has one.
    void release(const RecordKey& key, const std::string& owner);

private:
    /// As holder(), in a turn.
    std::string others_lease(const RecordKey& key, const std::string& owner,
                             std::chrono::milliseconds duration);

    OpenStore& store_;
    sqlite::Statement find_, put_, remove_, clean_;
};

}  // namespace jitune::internal
