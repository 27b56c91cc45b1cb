// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge_source.hpp"

#include <fstream>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"
#include "tuner_db/schema.hpp"

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

}  // namespace

MergeSource::MergeSource(const std::filesystem::path& path)
    : path_(real_path(path)),
      connection_(std::make_unique<Connection>(path_.string(), Connection::Mode::read_only)) {
    connection_->set_busy_wait(kPatience);
    const bool is_older =
        connection_->integer("PRAGMA application_id") == kApplicationId &&
        connection_->integer("PRAGMA user_version") < schema_version();
    if (!is_older) {
        prepare_schema(*connection_, Connection::Mode::read_only);
        return;
    }
    copies_.emplace();
    const std::filesystem::path copy = copies_->write("older.db", "");
    auto migrated = std::make_unique<Connection>(std::filesystem::canonical(copy).string(),
                                                 Connection::Mode::read_write);
    copy_pages(*connection_, *migrated);
    prepare_schema(*migrated, Connection::Mode::read_write);
    connection_ = std::move(migrated);
}

}  // namespace jitune::internal
