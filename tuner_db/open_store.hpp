// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>

#include "support/log.hpp"
#include "support/thread_signals.hpp"
#include "tuner_db/file/folder_vfs.hpp"
#include "tuner_db/file/journal_mode.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/file/store_path.hpp"

namespace jitune::internal {

/// How long a sweep waits for the database.
inline constexpr std::chrono::milliseconds kSweepWait{10'000};
/// A process that ends waits for it. Shorter than any tuning that a lease can save.
inline constexpr std::chrono::milliseconds kShortWait{1'000};
/// A call waits for it.
inline constexpr std::chrono::milliseconds kCallWait{50};

/// A database that has passed all checks and has the newest schema.
struct StoreFile {
    std::unique_ptr<sqlite::FolderVfs> folder;  ///< through which the connection has its files
    sqlite::Connection connection;
    JournalMode journal_mode;
    std::string path;  ///< absolute; empty in memory
};

/// See TuningStore::open. `mode` is not Mode::memory. Opens the file in the directory that `place`
/// has checked, even if another directory has that name by now.
StoreFile open_store_file(const StorePath& place, sqlite::Connection::Mode mode, const Log& log,
                          std::chrono::milliseconds patience);

/// See TuningStore::open_other.
StoreFile open_other_store_file(const std::filesystem::path& path);

StoreFile open_store_in_memory();

/// The open file of a store, which one thread uses at a time: in a Turn.
class OpenStore {
public:
    /// Exclusive use of a store for one call, with a bounded wait for other threads and processes.
    /// Throws Error(forked) in another process than the one that opened the store.
    class Turn {
    public:
        Turn(OpenStore& store, std::chrono::milliseconds wait);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        FileSizeGuard guard_;  // one for all statements
        OpenStore& store_;
    };

    OpenStore(StoreFile opened, Log log);

    /// Only the process that opened the store may use or even close SQLite's objects.
    [[nodiscard]] bool is_forked() const { return getpid() != owner_; }
    /// Throws Error(forked) in another process.
    void require_owner() const;

    [[nodiscard]] const StoreFile& file() const { return file_; }
    [[nodiscard]] const Log& log() const { return log_; }
    [[nodiscard]] bool is_read_only() const { return is_read_only_; }
    /// To be used in a turn.
    sqlite::Connection& connection() { return file_.connection; }

    /// Runs `body` in a transaction that holds the write lock from the start. Changes nothing if
    /// `body` throws, or returns false. In a turn.
    template <class Body>
    void write(const Body& body) {
        sqlite::Transaction transaction(file_.connection, sqlite::Transaction::Kind::write);
        check_journal_mode();
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            transaction.commit();
        } else if (body()) {
            transaction.commit();
        }
    }
    /// The same in a turn of its own.
    template <class Body>
    void write(std::chrono::milliseconds wait, const Body& body) {
        const Turn turn(*this, wait);
        write(body);
    }
    /// Throws Error(store) if another program has set a journal mode that is not safe with this
    /// SQLite. Call it in a turn, before rows are written.
    void check_journal_mode();

    /// Counts damaged rows.
    void add_damaged(std::int64_t rows) { damaged_ += rows; }
    [[nodiscard]] std::int64_t damaged() const { return damaged_; }

private:
    const pid_t owner_ = getpid();
    StoreFile file_;
    const Log log_;
    const bool is_read_only_;
    std::atomic<std::int64_t> damaged_ = 0;
    sqlite::Statement journal_mode_{file_.connection, "PRAGMA journal_mode"};
    // Not std::timed_mutex: the thread sanitizer does not know its timed lock.
    std::mutex mutex_;
    std::condition_variable free_again_;
    bool in_use_ = false;
};

}  // namespace jitune::internal
