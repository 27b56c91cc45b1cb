// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
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

    /// The database, or nullptr where winners are kept in memory only. Opened on first use; if that
    /// fails, the next call tries again.
    TuningStore* get();

    /// The database, or nullptr also where it is write protected: its winners are used then, and
    /// new ones are kept in memory. That is logged once.
    TuningStore* writable();

    /// Calls `question` with the database and returns its answer. Returns an empty value of the
    /// same type where there is no database, or where the database fails with Error(store), which
    /// is logged and counted.
    template <typename Question>
    auto ask(const Question& question) -> std::invoke_result_t<Question, TuningStore&> {
        return ask(get(), question);
    }

    /// The same for the writable() database.
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

    void count(const Error& error);

    const Options& options_;
    const Log& log_;
    std::mutex mutex_;
    bool warned_of_failure_ = false;
    bool warned_of_protection_ = false;
    std::unique_ptr<TuningStore> store_;
    std::atomic<std::int64_t> errors_{0};
};

}  // namespace jitune::internal
