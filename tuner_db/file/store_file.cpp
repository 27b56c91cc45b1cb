// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/store_file.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tuner_db/file/schema.hpp"
#include "tuner_db/file/store_path.hpp"

namespace jitune::internal {

namespace {

using sqlite::Connection;

// A file of this name belongs to jitune even if its content no longer shows that.
constexpr std::string_view kOwnName = "tuning.db";

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

StoreFile open_store_in_memory() {
    Connection connection("", Connection::Mode::memory);
    prepare_schema(connection, Connection::Mode::memory);
    return {nullptr, std::move(connection), {"memory", "in memory"}, ""};
}

}  // namespace jitune::internal
