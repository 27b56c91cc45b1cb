// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/journal_mode.hpp"

#include <fmt/format.h>

namespace jitune::internal {

namespace {

// 3.52.0 came before 3.51.3 and was withdrawn; the fix is in 3.51.3 and from 3.53.0 on.
constexpr bool has_wal_reset_fix(int version) {
    return version >= 3051003 && version / 1000 != 3052;
}

std::string version_text(int version) {
    return fmt::format("{}.{}.{}", version / 1000000, version / 1000 % 1000, version % 1000);
}

std::string request_wal(sqlite::Connection& connection) {
    try {
        return connection.text("PRAGMA journal_mode = WAL");
    } catch (const sqlite::Failure& failure) {
        if (failure.damaged()) {
            throw;
        }
        return failure.what();
    }
}

}  // namespace

JournalMode choose_journal_mode(int sqlite_version, const FileSystem& file_system) {
    const std::string version = version_text(sqlite_version);
    if (!has_wal_reset_fix(sqlite_version)) {
        return {"delete", fmt::format("SQLite {} has the WAL-reset bug, fixed in 3.51.3", version)};
    }
    if (!file_system.local) {
        return {"delete", fmt::format("{} is not known to be local", file_system.name)};
    }
    return {"wal", fmt::format("SQLite {} on {}", version, file_system.name)};
}

JournalMode set_journal_mode(sqlite::Connection& connection, const JournalMode& chosen) {
    std::string reason = chosen.reason;
    if (chosen.name == "wal") {
        const std::string answer = request_wal(connection);
        if (answer == "wal") {
            connection.execute("PRAGMA synchronous = NORMAL");
            return chosen;
        }
        reason = fmt::format("asked for wal, SQLite answered: {}", answer);
    }
    const std::string answer = connection.text("PRAGMA journal_mode = DELETE");
    if (answer != "delete") {
        throw Error(
            ErrorKind::store,
            fmt::format("{}: the journal mode must be delete ({}), but SQLite answered \"{}\": "
                        "close the other programs that use the database",
                        connection.name(), reason, answer));
    }
    connection.execute("PRAGMA synchronous = FULL");
    return {"delete", reason};
}

}  // namespace jitune::internal
