// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_store.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "support/loop_clock.hpp"
#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

namespace {

using std::chrono::milliseconds;

// A call must not wait long for another process that holds the database; a tuning has time.
constexpr milliseconds kCallPatience{100};
constexpr milliseconds kTuningPatience{10'000};

// Waits for another process are many short ones, so that threads with less patience have turns.
constexpr milliseconds kTurn{50};

/// Sets a flag while it lives.
class Making {
public:
    Making(std::atomic<bool>& flag, bool value) : flag_(flag) { flag_ = value; }
    ~Making() { flag_ = false; }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

private:
    std::atomic<bool>& flag_;
};

}  // namespace

TuningStore::Access SessionStore::access() const {
    return options_.frozen ? TuningStore::Access::read_only : TuningStore::Access::as_permitted;
}

TuningStore* SessionStore::open(milliseconds patience) {
    LoopClock time(kTurn);
    while (true) {
        const std::lock_guard lock(mutex_);
        if (store_ != nullptr) {
            return store_.get();
        }
        const milliseconds left = left_of(patience, time);
        try {
            const Making making(is_being_made_, is_missing());
            store_ = options_.database.empty() ? TuningStore::in_memory(log_)
                                               : TuningStore::open(options_.database, access(),
                                                                   log_, std::min(left, kTurn));
            is_open_ = true;
            return store_.get();
        } catch (const sqlite::Failure& failure) {
            if (!failure.busy()) {
                return warn_of_failure(failure);
            }
            if (left.count() == 0) {
                throw;
            }
        } catch (const Error& error) {
            return warn_of_failure(error);
        }
    }
}

bool SessionStore::is_missing() const {
    std::error_code ignored;  // what cannot be seen is tried to be opened, which says why
    return !is_open_ && !options_.frozen && !options_.database.empty() &&
           (is_being_made_ || std::filesystem::symlink_status(options_.database, ignored).type() ==
                                  std::filesystem::file_type::not_found);
}

TuningStore* SessionStore::warn_of_failure(const Error& error) {
    if (!std::exchange(warned_of_failure_, true)) {
        ++errors_;
        log_.warning(
            "{}; {}", error.what(),
            options_.frozen ? "the templates' defaults answer" : "winners are kept in memory only");
        log_statement(error);
    }
    return nullptr;
}

TuningStore* SessionStore::open_or_count(milliseconds patience) {
    try {
        return open(patience);
    } catch (const sqlite::Failure& failure) {
        count(failure);
        return nullptr;
    }
}

TuningStore* SessionStore::get() {
    return open_or_count(kCallPatience);
}

TuningStore* SessionStore::writable() {
    TuningStore* const store = open_or_count(kTuningPatience);
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

std::optional<Winner> SessionStore::find(const RecordKey& key, std::span<const std::int64_t> sizes,
                                         milliseconds patience) {
    LoopClock time(kTurn);
    if (is_missing()) {
        return std::nullopt;
    }
    try {
        TuningStore* const store = open(patience);
        return store == nullptr ? std::nullopt : store->find(key, sizes, left_of(patience, time));
    } catch (const sqlite::Failure& failure) {
        if (failure.busy()) {
            ++errors_;
            throw;
        }
        count(failure);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::store) {
            throw;
        }
        count(error);
    }
    return std::nullopt;
}

void SessionStore::count(const Error& error) {
    ++errors_;
    log_.warning("{}; continuing without the database", error.what());
    log_statement(error);
}

void SessionStore::log_statement(const Error& error) const {
    if (const auto* failure = dynamic_cast<const sqlite::Failure*>(&error)) {
        log_.debug("the statement that failed: {}", failure->sql());
    }
}

}  // namespace jitune::internal
