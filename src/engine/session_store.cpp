#include "engine/session_store.hpp"

#include <utility>

namespace jitune {

TuningStore* SessionStore::get() {
    // A call that needs the database must not wait long for whoever holds it; the next one asks
    // again.
    constexpr std::chrono::milliseconds kPatience{100};
    const std::lock_guard lock(mutex_);
    if (store_ == nullptr) {
        try {
            store_ = options_.database.empty()
                         ? TuningStore::in_memory(log_)
                         : TuningStore::open(options_.database, TuningStore::Access::read_write,
                                             log_, kPatience);
        } catch (const Error& error) {
            if (!std::exchange(warned_, true)) {
                ++errors_;
                log_.warning("{}; winners are kept in memory only", error.what());
            }
        }
    }
    return store_.get();
}

void SessionStore::count(const Error& error) {
    ++errors_;
    log_.warning("{}; going on without the database", error.what());
}

}  // namespace jitune
