// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// The right to be the one process that tunes a key, granted by a row in the database. Leases only
/// save work: without a database, or if it fails, every process tunes. Used by one thread.
class TuningLease {
public:
    /// `store` may be null; else it must outlive the lease. Does not access the database yet.
    TuningLease(TuningStore* store, RecordKey key, const Log& log);
    /// Releases the lease.
    ~TuningLease();
    TuningLease(const TuningLease&) = delete;
    TuningLease& operator=(const TuningLease&) = delete;

    /// Waits while another process holds the lease, then takes it. `answered` says whether the key
    /// has a winner by now; it is called whenever nobody holds the lease, also after taking it.
    /// Returns true if `answered` did: no process needs to tune. Returns false if the caller is to
    /// tune. Throws Error(unavailable) if another process still tunes after `patience` (zero: no
    /// limit), or when `stop` becomes true.
    bool acquire(const std::function<bool()>& answered, std::chrono::milliseconds patience,
                 const std::atomic<bool>& stop);

    /// Renews the lease. Cheap: call it often while tuning.
    void renew();

private:
    enum class Outcome { taken, answered, held_by_another };

    bool wait(const std::function<bool()>& answered, std::chrono::milliseconds patience,
              const std::atomic<bool>& stop);
    /// Tries once to take the lease. Sets `holder` if another process holds it.
    Outcome try_to_take(const std::function<bool()>& answered, std::string& holder);
    void release();

    TuningStore* store_;
    RecordKey key_;
    const Log& log_;
    std::string owner_;
    std::chrono::steady_clock::time_point renewed_;
    bool held_ = false;
};

}  // namespace jitune::internal
