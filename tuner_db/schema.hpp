#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tuner_db/sqlite.hpp"

namespace jitune {

inline constexpr std::int64_t kApplicationId = 0x6a69746e;  // "jitn"
inline constexpr std::int64_t kSchemaVersion = 1;

/// Brings a database from user_version `from` to a later one, which `sql` sets. Version 0 is the
/// empty database. A table must be made by exactly its text in schema.sql: rename the old one, make
/// the new one, copy, drop.
struct Migration {
    std::int64_t from;
    std::string_view sql;
};

/// Applies migrations up to version `target`, all in one transaction. Throws Error(store) where
/// none leads on. Safe against other processes that do the same.
void migrate(sqlite::Connection& connection, std::span<const Migration> migrations,
             std::int64_t target);

/// Creates the schema in an empty database, migrates an older one (neither for Mode::read_only),
/// and throws Error(store) for a database that is another application's, newer, or has a schema
/// that differs from schema.sql in any text.
void prepare_schema(sqlite::Connection& connection, sqlite::Connection::Mode mode);

}  // namespace jitune
