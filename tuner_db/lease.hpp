// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tuner_db/record.hpp"
#include "tuner_db/sqlite.hpp"

namespace jitune::internal {

/// The table `lease`: who tunes a key. All but `others_lease` belong into a write transaction.
/// Whatever a row or a clock says, it keeps nobody out for longer than twice `duration`: a lease
/// that ends later than that from now was written by another clock and is void.
class LeaseTable {
public:
    explicit LeaseTable(const sqlite::Connection& connection);

    /// The owner of another's lease that counts now, or "". `owner` is "<process_identity()> …".
    std::string others_lease(const RecordKey& key, const std::string& owner,
                             std::chrono::milliseconds duration);

    /// Makes or prolongs the lease, from now on.
    void put(const RecordKey& key, const std::string& owner, std::chrono::milliseconds duration);

    /// Nothing where the lease is another's by now.
    void remove(const RecordKey& key, const std::string& owner);

private:
    sqlite::Statement find_, put_, remove_, clean_;
};

}  // namespace jitune::internal
