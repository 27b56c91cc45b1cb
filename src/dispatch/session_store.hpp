// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>

#include "jitune/error.hpp"
#include "jitune/options.hpp"
#include "support/log.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// The database of a session. It may be missing or fail; calls are answered without it then.
/// Thread-safe.
class SessionStore {
public:
    /// Both must outlive it. Opens nothing yet.
    SessionStore(const Options& options, const Log& log) : options_(options), log_(log) {}

    /// The database, or nullptr if winners are kept in memory only. Opened on first use; if that
    /// fails, the next call tries again.
    TuningStore* get();

    /// The database, or nullptr if there is none or it is write protected: then its winners are
    /// used, and new winners are kept in memory, as is logged once. Waits long for other processes
    /// that hold the database.
    TuningStore* writable();

    /// The stored winner of a key that serves `sizes`; none if there is no database or if it fails.
    /// Makes no database file: that takes milliseconds, and a new file has no winner. Throws
    /// Error(store) if others hold the database for longer than `patience`, because it may have a
    /// winner.
    std::optional<Winner> find(const RecordKey& key, std::span<const std::int64_t> sizes,
                               std::chrono::milliseconds patience);

    /// Calls `question` with the database and returns its answer. Returns an empty value of the
    /// same type if there is no database, or if the database fails with Error(store), which
    /// is logged and counted.
    template <typename Question>
    auto ask(const Question& question) -> std::invoke_result_t<Question, TuningStore&> {
        return ask(get(), question);
    }

    /// As ask(), but makes no file.
    template <typename Question>
    auto look(const Question& question) -> std::invoke_result_t<Question, TuningStore&> {
        return is_missing() ? std::invoke_result_t<Question, TuningStore&>() : ask(question);
    }

    /// As ask(), for the writable() database.
    template <typename Action>
    auto tell(const Action& action) -> std::invoke_result_t<Action, TuningStore&> {
        return ask(writable(), action);
    }

    /// How often the database could not be opened or failed.
    [[nodiscard]] std::int64_t errors() const { return errors_; }

private:
    template <typename Question>
    auto ask(TuningStore* database, const Question& question)
        -> std::invoke_result_t<Question, TuningStore&> {
        using Answer = std::invoke_result_t<Question, TuningStore&>;
        if (database == nullptr) {
            return Answer();
        }
        try {
            return question(*database);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::store) {
                throw;
            }
            count(error);
            return Answer();
        }
    }

    /// True if there is no file yet, or another thread is making it.
    [[nodiscard]] bool is_missing() const;
    void count(const Error& error);
    void log_statement(const Error& error) const;
    /// As get(), with a wait of about `patience`. Throws sqlite::Failure if others hold the
    /// database for longer.
    TuningStore* open(std::chrono::milliseconds patience);
    [[nodiscard]] TuningStore::Access access() const;
    /// As open(), but if others hold the database, counts that failure and returns nullptr.
    TuningStore* open_or_count(std::chrono::milliseconds patience);
    /// Warns of the first failure and counts it. Returns nullptr.
    TuningStore* warn_of_failure(const Error& error);

    const Options& options_;
    const Log& log_;
    std::atomic<bool> is_open_{false}, is_being_made_{false};
    std::mutex mutex_;
    bool warned_of_failure_ = false;
    bool warned_of_protection_ = false;
    std::unique_ptr<TuningStore> store_;
    std::atomic<std::int64_t> errors_{0};
};

}  // namespace jitune::internal
