// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "support/temp_dir.hpp"
#include "tuner_db/sqlite.hpp"

namespace jitune::internal {

/// Another tuning database, opened to be read, whoever owns it. Throws Error(store) for a file that
/// is no tuning database, or one of a newer jitune. Of an older version a private copy is migrated;
/// the file itself never changes.
class MergeSource {
public:
    explicit MergeSource(const std::filesystem::path& path);

    [[nodiscard]] sqlite::Connection& connection() { return *connection_; }
    /// Absolute, with no symlinks.
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    std::optional<TempDir> copies_;
    std::unique_ptr<sqlite::Connection> connection_;
};

}  // namespace jitune::internal
