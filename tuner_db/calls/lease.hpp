// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record.hpp"

namespace jitune::internal {

/// The table `lease`: the owner that tunes a key. Call all functions but `others_lease` in a write
/// transaction. A lease that ends more than twice `duration` from now was written by a wrong clock
/// and is void. So no row and no clock can keep others out for longer than that.
class LeaseTable {
public:
    explicit LeaseTable(const sqlite::Connection& connection);

    /// The other owner whose lease is valid now, or "". `owner` is "<process_identity()> …".
    std::string others_lease(const RecordKey& key, const std::string& owner,
                             std::chrono::milliseconds duration);

    /// Makes the lease, or prolongs it, from now on.
    void put(const RecordKey& key, const std::string& owner, std::chrono::milliseconds duration);

    /// Removes the lease, unless it belongs to another owner by now.
    void remove(const RecordKey& key, const std::string& owner);

private:
    sqlite::Statement find_, put_, remove_, clean_;
};

}  // namespace jitune::internal
