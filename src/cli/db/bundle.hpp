// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "support/log.hpp"
#include "support/temp_dir.hpp"
#include "tuner_db/tuning_store.hpp"

namespace jitune::internal {

/// A database in a file of any owner: plain, or compressed with gzip, which is a bundle. The file
/// does not change. Throws Error(store) if it is no tuning database.
class OtherDatabase {
public:
    OtherDatabase(const std::filesystem::path& path, const Log& log);

    [[nodiscard]] TuningStore& store() { return *store_; }

private:
    std::unique_ptr<TempDir> unpacked_;
    std::unique_ptr<TuningStore> store_;
};

/// True if the file begins as a database or as a compressed one.
bool is_database_file(const std::filesystem::path& path);

/// Writes the database in the file `from` to `path`, compressed if that ends in ".gz": under
/// another name first, so that `path` is whole or as it was. Throws Error(usage) if that fails.
void write_bundle(const std::filesystem::path& from, const std::filesystem::path& path);

}  // namespace jitune::internal
