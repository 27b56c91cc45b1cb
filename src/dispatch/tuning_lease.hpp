// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// The right to be the one process that tunes a key, told by the database. A database that cannot
/// tell gives it to everybody: leases only save work. Used by one thread.
class TuningLease {
public:
    /// `store` may be null and outlives the lease. Nothing is asked yet.
    TuningLease(TuningStore* store, RecordKey key, const Log& log);
    /// Lets others have it.
    ~TuningLease();
    TuningLease(const TuningLease&) = delete;
    TuningLease& operator=(const TuningLease&) = delete;

    /// Waits for as long as another process has the lease, and asks `answered` whenever nobody has
    /// it, also after taking it. True: answered, nobody need tune; false: the lease is had. Throws
    /// Error(unavailable) where another process still tunes after `patience` (zero: no limit).
    bool acquire(const std::function<bool()>& answered, std::chrono::milliseconds patience);

    /// To be called often while tuning; cheap.
    void renew();

private:
    /// Who has it, after trying to; empty: nobody else.
    std::string take(const std::function<bool()>& answered, bool& is_answered);
    void release();

    TuningStore* store_;
    RecordKey key_;
    const Log& log_;
    std::string owner_;
    std::chrono::steady_clock::time_point renewed_;
    bool held_ = false;
};

}  // namespace jitune::internal
