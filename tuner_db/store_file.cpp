#include "tuner_db/store_file.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include <sqlite3.h>

#include "tuner_db/schema.hpp"
#include "tuner_db/store_path.hpp"

namespace jitune {

namespace {

using sqlite::Connection;

// Many processes may create the schema at once.
constexpr std::chrono::seconds kOpenWait{10};

StoreFile open_once(const StorePath& place, Connection::Mode mode) {
    Connection connection(place.file(), mode);
    connection.set_busy_wait(kOpenWait);
    prepare_schema(connection, mode);
    Journal journal =
        mode == Connection::Mode::read_only
            ? Journal{connection.text("PRAGMA journal_mode"), "read-only: as its writer left it"}
            : set_journal(connection,
                          choose_journal(sqlite3_libversion_number(), place.file_system()));
    return {std::move(connection), std::move(journal), place.file()};
}

}  // namespace

StoreFile open_store_file(const std::filesystem::path& path, Connection::Mode mode,
                          const Log& log) {
    const bool read_only = mode == Connection::Mode::read_only;
    const StorePath place(path,
                          read_only ? StorePath::IfMissing::refuse : StorePath::IfMissing::create);
    constexpr int kAttempts = 3;
    for (int attempt = 1;; ++attempt) {
        const StorePath::Identity identity = place.check_file();
        try {
            return open_once(place, mode);
        } catch (const sqlite::Failure& failure) {
            if (!failure.damaged() || read_only || attempt == kAttempts) {
                throw;
            }
            if (const std::optional<std::string> aside = place.set_aside(identity)) {
                log.warning("{}; it is now {}, and a new database is made", failure.what(), *aside);
            }
        }
    }
}

StoreFile open_store_in_memory() {
    Connection connection("", Connection::Mode::memory);
    prepare_schema(connection, Connection::Mode::memory);
    return {std::move(connection), {"memory", "in memory"}, ""};
}

}  // namespace jitune
