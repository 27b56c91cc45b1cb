// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_store.hpp"

#include <utility>

namespace jitune::internal {

TuningStore* SessionStore::get() {
    // A call must not wait long for another process that holds the database; the next call tries
    // again.
    constexpr std::chrono::milliseconds kPatience{100};
    const std::lock_guard lock(mutex_);
    if (store_ == nullptr) {
        try {
            store_ = options_.database.empty()
                         ? TuningStore::in_memory(log_)
                         : TuningStore::open(options_.database, TuningStore::Access::as_permitted,
                                             log_, kPatience);
        } catch (const Error& error) {
            if (!std::exchange(warned_of_failure_, true)) {
                ++errors_;
                log_.warning("{}; winners are kept in memory only", error.what());
            }
        }
    }
    return store_.get();
}

TuningStore* SessionStore::writable() {
    TuningStore* const store = get();
    if (store == nullptr || !store->is_read_only()) {
        return store;
    }
    const std::lock_guard lock(mutex_);
    if (!std::exchange(warned_of_protection_, true)) {
        log_.warning(
            "tuning database {}: it is write protected; its winners are used, new ones are kept in "
            "memory only",
            options_.database.string());
    }
    return nullptr;
}

void SessionStore::count(const Error& error) {
    ++errors_;
    log_.warning("{}; continuing without the database", error.what());
}

}  // namespace jitune::internal
