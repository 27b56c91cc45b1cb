// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/open_store.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"
#include "tuner_db/file/schema.hpp"

namespace jitune::internal {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

using sqlite::Connection;

// A file of this name belongs to jitune even if its content no longer shows that.
constexpr std::string_view kOwnName = "tuning.db";

// For others that hold a database of theirs.
constexpr milliseconds kPatience{10'000};

StoreFile open_once(const StorePath& place, Connection::Mode mode,
                    std::chrono::milliseconds patience) {
    auto folder = std::make_unique<sqlite::FolderVfs>(place.directory());
    if (!folder->works()) {
        place.refuse_movable();
        folder.reset();
    }
    Connection connection(place.file(), mode, folder == nullptr ? nullptr : folder->name());
    connection.set_busy_wait(patience);
    prepare_schema(connection, mode);
    JournalMode journal_mode =
        mode == Connection::Mode::read_only
            ? JournalMode{connection.text("PRAGMA journal_mode"),
                          "read-only: as the last writer left it"}
            : set_journal_mode(connection, choose_journal_mode(sqlite3_libversion_number(),
                                                               place.file_system()));
    return {std::move(folder), std::move(connection), std::move(journal_mode), place.file()};
}

std::filesystem::path real_path(const std::filesystem::path& path) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    if (error || !std::filesystem::is_regular_file(real, error)) {
        throw Error(ErrorKind::store,
                    fmt::format("cannot read the tuning database {}: {}", path.string(),
                                error ? error.message() : "it is not a regular file"));
    }
    for (const char* const suffix : {"-journal", "-wal", "-shm"}) {  // SQLite would wait for a pipe
        const std::filesystem::path beside = real.string() + suffix;
        const auto status = std::filesystem::symlink_status(beside, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
            throw Error(ErrorKind::store,
                        fmt::format("cannot read the tuning database {}: {} is not a regular "
                                    "file: remove it",
                                    path.string(), beside.string()));
        }
    }
    return real;
}

StoreFile open_other(const std::string& real) {
    Connection connection(real, Connection::Mode::read_only);
    connection.set_busy_wait(kPatience);
    prepare_schema(connection, Connection::Mode::read_only);
    return {nullptr, std::move(connection), {"", "another database"}, real};
}

}  // namespace

StoreFile open_store_file(const StorePath& place, Connection::Mode mode, const Log& log,
                          std::chrono::milliseconds patience) {
    const bool read_only = mode == Connection::Mode::read_only;
    const std::filesystem::path path(place.file());
    constexpr int kAttempts = 3;
    for (int attempt = 1;; ++attempt) {
        const StorePath::Identity identity = place.check_file();
        try {
            return open_once(place, mode, patience);
        } catch (const sqlite::Failure& failure) {
            // A file that a path names by mistake is not moved.
            if (failure.not_a_database() && path.filename() != kOwnName) {
                throw Error(ErrorKind::store,
                            fmt::format("tuning database {}: the file is not a database; jitune "
                                        "leaves it alone: use another path, or move it away",
                                        path.string()),
                            failure.native_code());
            }
            if (read_only || attempt == kAttempts) {
                throw;
            }
            if (!failure.damaged()) {
                if (place.is_replaced(identity)) {  // by another process, since check_file()
                    continue;
                }
                throw;
            }
            if (const std::optional<std::string> aside = place.set_aside(identity)) {
                log.warning("{}; jitune renames it to {} and makes a new database", failure.what(),
                            *aside);
            }
        }
    }
}

StoreFile open_other_store_file(const std::filesystem::path& path) {
    const std::string real = real_path(path).string();
    try {
        return open_other(real);
    } catch (const sqlite::Failure& failure) {
        if (!failure.not_a_database()) {
            throw;
        }
        throw Error(ErrorKind::store,
                    fmt::format("cannot read the tuning database {}: it is not a database", real),
                    failure.native_code());
    }
}

StoreFile open_store_in_memory() {
    Connection connection("", Connection::Mode::memory);
    prepare_schema(connection, Connection::Mode::memory);
    return {nullptr, std::move(connection), {"memory", "in memory"}, ""};
}

OpenStore::OpenStore(StoreFile opened, Log log)
    : file_(std::move(opened)),
      log_(std::move(log)),
      // Also if the file is empty, so that nothing of it is open.
      is_read_only_(sqlite3_db_readonly(file_.connection.handle(), "main") == 1 ||
                    (file_.journal_mode.name == "memory" && !file_.path.empty())) {}

void OpenStore::require_owner() const {
    if (is_forked()) {
        throw Error(
            ErrorKind::forked,
            "tuning database: the process is a fork of the one that opened it: open it again");
    }
}

void OpenStore::check_journal_mode() {
    for (sqlite::Cursor cursor = journal_mode_.run({}); cursor.next();) {
        if (cursor.row().at(0) != sqlite::Cell(file_.journal_mode.name)) {
            throw Error(ErrorKind::store,
                        fmt::format("{}: another program has changed the journal mode, which must "
                                    "be {} here ({}): close that program",
                                    file_.connection.name(), file_.journal_mode.name,
                                    file_.journal_mode.reason));
        }
    }
}

OpenStore::Turn::Turn(OpenStore& store, milliseconds wait) : store_(store) {
    store.require_owner();
    const auto deadline = steady_clock::now() + wait;
    std::unique_lock lock(store.mutex_);
    if (!store.free_again_.wait_until(lock, deadline, [&] { return !store.in_use_; })) {
        throw sqlite::Failure(fmt::format("{}: another thread used it for {} ms: try again",
                                          store.file_.connection.name(), wait.count()),
                              SQLITE_BUSY);
    }
    store.in_use_ = true;
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    store.file_.connection.set_busy_wait(std::max(left, milliseconds(0)));
}

OpenStore::Turn::~Turn() {
    const std::lock_guard lock(store_.mutex_);
    store_.in_use_ = false;
    store_.free_again_.notify_one();
}

}  // namespace jitune::internal
