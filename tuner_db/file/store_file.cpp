// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/store_file.hpp"

#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"
#include "tuner_db/file/schema.hpp"

namespace jitune::internal {

namespace {

using sqlite::Connection;

// A file of this name belongs to jitune even if its content no longer shows that.
constexpr std::string_view kOwnName = "tuning.db";

// For others that hold a database of theirs.
constexpr std::chrono::milliseconds kPatience{10'000};

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

}  // namespace jitune::internal
