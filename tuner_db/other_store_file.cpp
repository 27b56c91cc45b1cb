// SPDX-License-Identifier: Apache-2.0
// The files of other databases: StoreFile that is only read.
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"
#include "tuner_db/schema.hpp"
#include "tuner_db/store_file.hpp"

namespace jitune::internal {

namespace {

using sqlite::Connection;

constexpr std::chrono::milliseconds kPatience{10'000};

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

/// Copies a database page by page, with what its write-ahead log holds.
void copy_pages(Connection& from, Connection& into) {
    sqlite3_backup* const backup =
        sqlite3_backup_init(into.handle(), "main", from.handle(), "main");
    if (backup == nullptr) {
        sqlite::check(into.handle(), "BEGIN", sqlite3_errcode(into.handle()));
    }
    const int code = sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
    sqlite::check(into.handle(), "BEGIN", code == SQLITE_DONE ? SQLITE_OK : code);
}

StoreFile open_other(const std::string& real) {
    Connection connection(real, Connection::Mode::read_only);
    connection.set_busy_wait(kPatience);
    const bool is_older = connection.integer("PRAGMA application_id") == kApplicationId &&
                          connection.integer("PRAGMA user_version") < schema_version();
    if (!is_older) {
        prepare_schema(connection, Connection::Mode::read_only);
        return {nullptr, nullptr, std::move(connection), {"", "another database"}, real};
    }
    auto copies = std::make_unique<TempDir>();
    const std::filesystem::path copy = copies->write("older.db", "");
    Connection migrated(std::filesystem::canonical(copy).string(), Connection::Mode::read_write);
    copy_pages(connection, migrated);
    prepare_schema(migrated, Connection::Mode::read_write);
    return {std::move(copies), nullptr, std::move(migrated), {"delete", "a private copy"}, real};
}

}  // namespace

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

}  // namespace jitune::internal
