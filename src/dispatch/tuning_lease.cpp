// SPDX-License-Identifier: Apache-2.0
#include "dispatch/tuning_lease.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "jitune/error.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Longer than anything that goes on between two calls of renew(). A process that ends without
// giving its lease back is noticed at once by the others of its machine.
constexpr milliseconds kDuration{120'000};
constexpr milliseconds kRenewal{10'000};
constexpr milliseconds kFirstPause{10};
constexpr milliseconds kLongestPause{200};

/// Several sessions of a process are several owners.
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
    } catch (const Error& error) {  // it expires, or ends with the process
        log_.info("{}; a lease is left behind", error.what());
    }
}

void TuningLease::release() {
    if (std::exchange(held_, false)) {
        store_->release_lease(key_, owner_);
    }
}

std::string TuningLease::take(const std::function<bool()>& answered, bool& is_answered) {
    std::string holder = store_->lease_holder(key_, owner_, kDuration);
    if (!holder.empty()) {
        return holder;
    }
    is_answered = answered();  // without writing, for those who have waited
    if (is_answered) {
        return "";
    }
    holder = store_->try_lease(key_, owner_, kDuration);
    if (holder.empty()) {
        held_ = true;
        renewed_ = steady_clock::now();
        is_answered = answered();  // perhaps by who had it until just now
    }
    return holder;
}

bool TuningLease::acquire(const std::function<bool()>& answered, milliseconds patience) {
    if (store_ == nullptr) {
        return false;
    }
    const auto deadline = steady_clock::now() + patience;
    try {
        for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
            bool is_answered = false;
            const std::string holder = take(answered, is_answered);
            if (holder.empty()) {
                if (is_answered) {
                    release();
                }
                return is_answered;
            }
            if (pause == kFirstPause) {
                log_.info("waiting for another process that tunes {} {}: {}", key_.kernel,
                          key_.types, holder);
            }
            if (patience.count() > 0 && steady_clock::now() >= deadline) {
                if (answered()) {
                    return true;
                }
                throw Error(ErrorKind::unavailable,
                            fmt::format("tuning {} {}: another process does so and had no answer "
                                        "within {} ms ({})",
                                        key_.kernel, key_.types, patience.count(), holder));
            }
            std::this_thread::sleep_for(pause);
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::store) {
            throw;
        }
        log_.info("{}; tuning without a lease", error.what());
        return false;
    }
}

void TuningLease::renew() {
    if (!held_ || steady_clock::now() - renewed_ < kRenewal) {
        return;
    }
    renewed_ = steady_clock::now();
    try {
        held_ = store_->try_lease(key_, owner_, kDuration).empty();
    } catch (const Error& error) {  // asked again later
        log_.info("{}; a lease is not prolonged", error.what());
    }
}

}  // namespace jitune::internal
