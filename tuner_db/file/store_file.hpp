// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "support/log.hpp"
#include "tuner_db/file/folder_vfs.hpp"
#include "tuner_db/file/journal_mode.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/file/store_path.hpp"

namespace jitune::internal {

/// A database that has passed all checks and has the newest schema.
struct StoreFile {
    std::unique_ptr<sqlite::FolderVfs> folder;  ///< through which the connection has its files
    sqlite::Connection connection;
    JournalMode journal_mode;
    std::string path;  ///< absolute; empty in memory
};

/// See TuningStore::open. `mode` is not Mode::memory. Opens the file in the directory that `place`
/// has checked, even if another directory has that name by now.
StoreFile open_store_file(const StorePath& place, sqlite::Connection::Mode mode, const Log& log,
                          std::chrono::milliseconds patience);

/// See TuningStore::open_other.
StoreFile open_other_store_file(const std::filesystem::path& path);

StoreFile open_store_in_memory();

}  // namespace jitune::internal
