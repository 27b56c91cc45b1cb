// SPDX-License-Identifier: Apache-2.0
// The files of other databases: StoreFile that is only read.
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "jitune/error.hpp"
#include "tuner_db/file/schema.hpp"
#include "tuner_db/file/store_file.hpp"

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
    for (const char* const suffix : {"-journal", "-wal", "-shm"}) {  // SQLite would wait for a pipe
        const std::filesystem::path beside = real.string() + suffix;
        const auto status = std::filesystem::symlink_status(beside, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
            throw Error(ErrorKind::store,
                        fmt::format("cannot read the tuning database {}: {} is not a regular "
                                    "file: remove it",
                                    path.string(), beside.string()));
        }
    }
    return real;
}

StoreFile open_other(const std::string& real) {
    Connection connection(real, Connection::Mode::read_only);
    connection.set_busy_wait(kPatience);
    prepare_schema(connection, Connection::Mode::read_only);
    return {nullptr, std::move(connection), {"", "another database"}, real};
}

}  // namespace

StoreFile open_other_store_file(const std::filesystem::path& path) {
    const std::string real = real_path(path).string();
    try {
        return open_other(real);
    } catch (const sqlite::Failure& failure) {
        if (!failure.not_a_database()) {
            throw;
        }
        throw Error(ErrorKind::store,
                    fmt::format("cannot read the tuning database {}: it is not a database", real),
                    failure.native_code());
    }
}

}  // namespace jitune::internal
