// SPDX-License-Identifier: Apache-2.0
#include "dispatch/behind/tuning_lease.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/loop_clock.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A lease must not expire under its holder, so it lasts longer than any step between two calls of
// renew(). It ends early if its holder's process does: processes of the same machine see that.
constexpr milliseconds kDuration{120'000};
constexpr milliseconds kRenewal{10'000};
constexpr milliseconds kFirstPause{10};
constexpr milliseconds kLongestPause{200};

/// Several sessions of one process are several owners, so each lease has a number.
std::string new_owner() {
    static std::atomic<int> last{0};
    return fmt::format("{} lease={}", process_identity(), ++last);
}

}  // namespace

TuningLease::TuningLease(TuningStore* store, RecordKey key, const Log& log)
    : store_(store), key_(std::move(key)), log_(log), owner_(new_owner()) {}

TuningLease::~TuningLease() {
    try {
        release();
    } catch (const std::exception&) {  // the row stays until it expires or this process ends
    }
}

void TuningLease::release() {
    if (std::exchange(held_, false)) {
        store_->leases().release(key_, owner_);
    }
}

bool TuningLease::acquire(const std::function<bool()>& answered, milliseconds patience,
                          const std::atomic<bool>& stop) {
    if (store_ == nullptr) {
        return false;
    }
    try {
        return wait(answered, patience, stop);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::store) {
            throw;
        }
        log_.info("{}; tuning without a lease", error.what());
        return false;
    }
}

/// Polls: SQLite tells no process of another's changes. The pauses grow, because a lease is usually
/// held for seconds.
bool TuningLease::wait(const std::function<bool()>& answered, milliseconds patience,
                       const std::atomic<bool>& stop) {
    LoopClock time(kLongestPause, 50 * kLongestPause);
    std::string holder;
    for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
        const Outcome outcome = try_to_take(answered, holder);
        if (outcome != Outcome::held_by_another) {
            return outcome == Outcome::answered;
        }
        if (pause == kFirstPause) {
            log_.info("waiting for another process that tunes {} {}: {}", key_.kernel, key_.types,
                      holder);
        }
        if (patience.count() > 0 && time.turn() >= patience) {
            // A holder may have stored its winner and not yet released the lease.
            if (answered()) {
                return true;
            }
            throw Error(ErrorKind::unavailable,
                        fmt::format("cannot tune {} {}: another process is tuning it and had no "
                                    "answer within {} ms ({})",
                                    key_.kernel, key_.types, patience.count(), holder));
        }
        if (stop) {
            throw Error(ErrorKind::unavailable,
                        fmt::format("stopped while another process was tuning {} {} ({})",
                                    key_.kernel, key_.types, holder));
        }
        std::this_thread::sleep_for(pause);
    }
}

TuningLease::Outcome TuningLease::try_to_take(const std::function<bool()>& answered,
                                              std::string& holder) {
    holder = store_->leases().holder(key_, owner_, kDuration);
    if (!holder.empty()) {
        return Outcome::held_by_another;
    }
    // A process that has waited finds the winner here. It need not take the lease for that, which
    // would be a write, and writes of many waiting processes come one after the other.
    if (answered()) {
        return Outcome::answered;
    }
    holder = store_->leases().take(key_, owner_, kDuration);
    if (!holder.empty()) {
        return Outcome::held_by_another;
    }
    held_ = true;
    renewed_ = steady_clock::now();
    // Between the question above and the lease another process may have tuned and released it.
    if (answered()) {
        release();
        return Outcome::answered;
    }
    return Outcome::taken;
}

void TuningLease::renew() {
    if (!held_ || steady_clock::now() - renewed_ < kRenewal) {
        return;
    }
    renewed_ = steady_clock::now();
    try {
        held_ = store_->leases().take(key_, owner_, kDuration).empty();
    } catch (const Error& error) {  // the next renewal tries again
        log_.info("{}; a lease is not renewed", error.what());
    }
}

}  // namespace jitune::internal
