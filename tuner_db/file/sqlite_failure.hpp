// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "jitune/error.hpp"

struct sqlite3;

namespace jitune::internal::sqlite {

/// Error(store) with SQLite's extended result code.
class Failure : public Error {
public:
    Failure(const std::string& message, int code, std::string sql = {})
        : Error(ErrorKind::store, message, {NativeCode::Source::sqlite, code}),
          sql_(std::move(sql)) {}

    /// The statement that failed, for a debug log; empty if no statement did.
    [[nodiscard]] const std::string& sql() const { return sql_; }

    /// The file is not a database, or a damaged one.
    [[nodiscard]] bool damaged() const;
    /// The file does not begin as a database does.
    [[nodiscard]] bool not_a_database() const;
    /// The file or its directory is write protected.
    [[nodiscard]] bool write_protected() const;
    /// A CHECK, a key or the type of a column does not allow the row.
    [[nodiscard]] bool constraint() const;
    /// Another process or thread holds the database.
    [[nodiscard]] bool busy() const;

private:
    [[nodiscard]] int primary_code() const;

    std::string sql_;
};

/// Throws the Failure of a statement that has just failed with `code`. errno was 0 before it.
[[noreturn]] void fail(sqlite3* handle, std::string_view sql, int code);

/// fail(), unless the code is that of success.
void check(sqlite3* handle, std::string_view sql, int code);

/// Says in words what a statement tries: "read it".
std::string_view attempt_of(std::string_view sql);

/// ": " and what to do about a code; empty if nothing can be done.
std::string advice(int code);

/// "tuning database <path>" or "tuning database in memory".
std::string database_name(sqlite3* handle);

}  // namespace jitune::internal::sqlite
