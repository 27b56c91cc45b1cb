// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner_db/file/file_system.hpp"
#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

/// How a database survives a crash, and the reason for the choice.
struct Journal {
    std::string mode;  ///< "wal", "delete" or "memory"
    std::string reason;
};

/// Chooses WAL only where it is safe: on a local file system and with an SQLite (numbered as by
/// sqlite3_libversion_number()) without the WAL-reset bug, which loses data when two processes
/// write at the same time.
Journal choose_journal(int sqlite_version, const FileSystem& file_system);

/// Sets the chosen journal mode. If SQLite refuses "wal", falls back to "delete"; throws
/// Error(store) if SQLite refuses that, too.
Journal set_journal(sqlite::Connection& connection, const Journal& chosen);

}  // namespace jitune::internal
