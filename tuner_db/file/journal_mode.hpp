// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

/// The file system of a database file: decides whether its locks can be trusted.
struct FileSystem {
    std::string name;    ///< "ext4", "nfs", or the magic number in hexadecimal
    bool local = false;  ///< known to keep shared memory and locks on one machine
};

/// Looks up `magic`, statfs's `f_type`. A file system that is not in the table is not local.
FileSystem file_system(std::uint32_t magic);

/// SQLite's journal mode, by which a database survives a crash, and the reason for the choice.
struct JournalMode {
    std::string name;  ///< "wal", "delete" or "memory"
    std::string reason;
};

/// Chooses WAL only if it is safe: on a local file system and with an SQLite (numbered as by
/// sqlite3_libversion_number()) without the WAL-reset bug, which loses data when two processes
/// write at the same time.
JournalMode choose_journal_mode(int sqlite_version, const FileSystem& file_system);

/// Sets the chosen journal mode. If SQLite refuses "wal", falls back to "delete"; throws
/// Error(store) if SQLite refuses that, too.
JournalMode set_journal_mode(sqlite::Connection& connection, const JournalMode& chosen);

}  // namespace jitune::internal
