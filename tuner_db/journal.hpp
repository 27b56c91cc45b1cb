// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tuner_db/file_system.hpp"
#include "tuner_db/sqlite.hpp"

namespace jitune::internal {

/// How a database survives a crash, and why that way.
struct Journal {
    std::string mode;  ///< "wal", "delete" or "memory"
    std::string reason;
};

/// WAL only where it is safe: on a local file system, by an SQLite (as sqlite3_libversion_number()
/// numbers it) without the WAL-reset bug, which loses data when two processes write at once.
Journal choose_journal(int sqlite_version, const FileSystem& file_system);

/// Sets what was chosen. Where SQLite answers anything but "wal", falls back to "delete"; throws
/// Error(store) if that cannot be had either.
Journal set_journal(sqlite::Connection& connection, const Journal& chosen);

}  // namespace jitune::internal
