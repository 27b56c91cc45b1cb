// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tuner_db/file/sqlite.hpp"

namespace jitune::internal {

inline constexpr std::int64_t kApplicationId = 0x6a69746e;  // "jitn"

/// The newest version: that of the last file schema_<version>.sql, which the build embeds.
std::int64_t schema_version();

/// Brings a database from user_version `from` to a later one, which `sql` sets. Version 0 is the
/// empty database. A new database goes through every migration as well, so that its schema has the
/// same text as that of an old one.
struct Migration {
    std::int64_t from;
    std::string_view sql;
};

/// Applies migrations up to version `target`, all in one transaction. Throws Error(store) if no
/// migration starts at a version on the way. Safe against other processes that do the same.
void migrate(sqlite::Connection& connection, std::span<const Migration> migrations,
             std::int64_t target);

/// Creates the schema in an empty database, migrates an older one (neither for Mode::read_only),
/// and throws Error(store) for a database of another application, of a newer version, or with a
/// schema whose text differs from that of its version; does not change such a database. Views,
/// indexes that are not unique and ANALYZE's tables are a person's own, and stay; a migration that
/// makes a table anew drops the indexes that a person has added to it.
void prepare_schema(sqlite::Connection& connection, sqlite::Connection::Mode mode);

}  // namespace jitune::internal
