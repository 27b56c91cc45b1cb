// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/thread_signals.hpp"
#include "tuner_db/file/sqlite_failure.hpp"

struct sqlite3;
struct sqlite3_stmt;

/// SQLite as objects with owners. Every failure is a sqlite::Failure that names the file, what
/// was tried and SQLite's message. There are no locks here: one thread at a time may use a
/// Connection.
namespace jitune::internal::sqlite {

/// The version of the library that is loaded: "3.40.1".
const char* library_version();

struct Blob {
    std::string bytes;

    auto operator<=>(const Blob&) const = default;
};

/// One stored value of exactly its stored type; monostate is NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;
using Row = std::vector<Cell>;

/// An open database. It distrusts its file: triggers, views, extensions, attached databases and
/// memory maps are off, and limits are small.
class Connection {
public:
    enum class Mode { read_write, read_only, memory };

    /// `path` is absolute, has no symlinks and must exist; Mode::memory ignores it.
    /// Mode::read_write refuses a write-protected file. `vfs`: FolderVfs::name(); nullptr: SQLite's
    /// own.
    Connection(const std::string& path, Mode mode, const char* vfs = nullptr);
    Connection(Connection&&) = default;

    /// Runs statements and ignores the rows that they return.
    void execute(const std::string& sql);

    /// Rewrites the file without the room of deleted rows. Do not call it within a transaction.
    void vacuum();

    /// The value that `sql` returns. Throws if it has another type or there is none.
    std::int64_t integer(const std::string& sql);
    std::string text(const std::string& sql);

    /// How long a call waits for the lock of another process before it fails. Initially zero.
    void set_busy_wait(std::chrono::milliseconds wait);

    /// "tuning database <path>" or "tuning database in memory", for messages.
    [[nodiscard]] std::string name() const;

    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

private:
    struct Closer {
        void operator()(sqlite3* handle) const noexcept;
    };
    template <class Value>
    Value single(const std::string& sql);

    /// SQLite's own busy timeout sleeps up to 100 ms between two tries, so that among many
    /// processes that write in a row some never get the lock. Short sleeps give each of them a
    /// chance. Their number ends the wait where the clock stands still.
    struct BusyWait {
        std::chrono::milliseconds limit{0};
        std::chrono::steady_clock::time_point begin;

        static int retry(void* self, int earlier_tries) noexcept;
    };

    std::unique_ptr<BusyWait> busy_wait_;  ///< outlives the handle that uses it
    std::unique_ptr<sqlite3, Closer> handle_;
};

/// One run of a statement. The destructor resets the statement, which also ends its read lock.
class Cursor {
public:
    ~Cursor();
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    /// False when there are no more rows.
    bool next();

    /// The current row.
    [[nodiscard]] Row row() const;

    /// A text of the current row, valid until next(); nothing if the cell is no text.
    [[nodiscard]] std::optional<std::string_view> text(int column) const;

private:
    friend class Statement;
    explicit Cursor(sqlite3_stmt* statement) : statement_(statement) {}

    FileSizeGuard guard_;  // a reader, too, may roll an interrupted commit back
    sqlite3_stmt* statement_;
};

/// A compiled statement, for many runs, one at a time.
class Statement {
public:
    Statement(const Connection& connection, const std::string& sql);

    /// Binds ?1, ?2 … The statement starts with the first next().
    [[nodiscard]] Cursor run(const Row& parameters = {});

    /// Runs the statement to its end.
    void execute(const Row& parameters = {});

private:
    struct Finalizer {
        void operator()(sqlite3_stmt* statement) const noexcept;
    };

    std::unique_ptr<sqlite3_stmt, Finalizer> handle_;
};

/// Rolls back unless committed. A write takes the write lock at once, so that it cannot fail
/// halfway for another writer.
class Transaction {
public:
    enum class Kind { read, write };

    Transaction(Connection& connection, Kind kind);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    void commit();

private:
    Connection& connection_;
};

}  // namespace jitune::internal::sqlite
