// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/sqlite_failure.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <sqlite3.h>

#include "tuner_db/file/folder_vfs.hpp"

namespace jitune::internal::sqlite {

namespace {

struct Advice {
    int code;
    std::string_view text;
};

// An extended code stands before its primary code.
constexpr std::array kAdvice{
    Advice{SQLITE_READONLY_ROLLBACK,
           "a writer ended in the middle of a commit, and its journal lies beside the file; the "
           "next process that writes, as any tuning does, undoes that commit and loses nothing "
           "that was committed before"},
    Advice{SQLITE_READONLY_DBMOVED, "its file was removed or replaced; start again"},
    Advice{SQLITE_IOERR_LOCK, "its file system gives no locks; use a path on another one"},
    Advice{SQLITE_IOERR,
           "check the disk; what was committed before is kept, and the next process that writes "
           "undoes the rest"},
    Advice{SQLITE_BUSY, "another process holds the database; try again"},
    Advice{SQLITE_CANTOPEN, "check the path and its permissions"},
    Advice{SQLITE_CORRUPT, "move the file away; jitune then makes a new one"},
    Advice{SQLITE_FULL, "free some disk space"},
    Advice{SQLITE_NOTADB, "move the file away; jitune then makes a new one"},
    Advice{SQLITE_READONLY, "make the file and its directory writable, or use another path"},
};

constexpr int primary(int code) {
    return code & 0xff;
}

/// The error that the system gave for the file in the call that has just failed, or 0. `error` is
/// errno after that call, which began with 0: SQLite keeps the file's last error also of calls long
/// before.
int error_of_file(sqlite3* handle, int error) {
    int last = 0;
    sqlite3_file_control(handle, "main", SQLITE_FCNTL_LAST_ERRNO, &last);
    return last == error ? error : 0;
}

/// Corrects a code by the system's error. If a file system has no locks, SQLite says "busy"; if a
/// page cannot be read, it says "damaged". Other codes stay.
int true_code(sqlite3* handle, int code, int error) {
    if (primary(code) == SQLITE_BUSY && error == ENOLCK) {
        return SQLITE_IOERR_LOCK;
    }
    return primary(code) == SQLITE_CORRUPT && error_of_file(handle, error) != 0
               ? SQLITE_IOERR_CORRUPTFS
               : code;
}

/// The system's answer, such as ": No locks available", if SQLite only knows that a call failed.
std::string answer_of_system(sqlite3* handle, int code, int error) {
    if (primary(code) != SQLITE_IOERR && primary(code) != SQLITE_CANTOPEN) {
        return {};
    }
    const int of_file = code == SQLITE_IOERR_LOCK ? ENOLCK : error_of_file(handle, error);
    const int answer = of_file != 0 ? of_file : sqlite3_system_errno(handle);
    return answer == 0 ? "" : ": " + std::generic_category().message(answer);
}

}  // namespace

int Failure::primary_code() const {
    return primary(native_code().value);
}

bool Failure::damaged() const {
    return primary_code() == SQLITE_CORRUPT || primary_code() == SQLITE_NOTADB;
}

bool Failure::not_a_database() const {
    return primary_code() == SQLITE_NOTADB;
}

bool Failure::write_protected() const {
    return primary_code() == SQLITE_READONLY;
}

bool Failure::constraint() const {
    return primary_code() == SQLITE_CONSTRAINT;
}

bool Failure::busy() const {
    return primary_code() == SQLITE_BUSY || primary_code() == SQLITE_LOCKED;
}

std::string advice(int code) {
    for (const Advice& row : kAdvice) {
        if (row.code == code || row.code == primary(code)) {
            return fmt::format(": {}", row.text);
        }
    }
    return {};
}

std::string database_name(sqlite3* handle) {
    const char* file = sqlite3_db_filename(handle, "main");
    const bool has_file = file != nullptr && *file != '\0';
    return fmt::format("tuning database {}", has_file ? FolderVfs::shown(file) : "in memory");
}

std::string_view attempt_of(std::string_view sql) {
    const std::size_t begin = sql.find_first_not_of(" \n");
    const std::string_view text = sql.substr(std::min(begin, sql.size()));
    return text.starts_with("SELECT")   ? "read it"
           : text.starts_with("PRAGMA") ? "use it"
                                        : "change it";
}

void fail(sqlite3* handle, std::string_view sql, int seen) {
    const int error = errno;  // first: later calls change it
    const int code = true_code(handle, seen, error);
    const char* answer = code == seen ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
    throw Failure(fmt::format("{}: cannot {}: {} (SQLite code {}{}){}", database_name(handle),
                              attempt_of(sql), answer, code, answer_of_system(handle, code, error),
                              advice(code)),
                  code, std::string(sql));
}

void check(sqlite3* handle, std::string_view sql, int code) {
    if (code != SQLITE_OK) {
        fail(handle, sql, code);
    }
}

}  // namespace jitune::internal::sqlite
