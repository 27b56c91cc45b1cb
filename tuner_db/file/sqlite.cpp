// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/sqlite.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

namespace jitune::internal::sqlite {

namespace {

/// Checks calls that are no statements and need no file.
void check_setting(std::string_view call, int code) {
    if (code != SQLITE_OK) {
        throw Failure(fmt::format("tuning database: cannot set SQLite up: {}: {} (SQLite code {})",
                                  call, sqlite3_errstr(code), code),
                      code);
    }
}

/// Switches off what jitune does not need; see "Defense against the dark arts" in SQLite's
/// documentation.
void harden(sqlite3* handle) {
    constexpr std::array<std::pair<int, int>, 5> kSettings{{
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    }};
    for (const auto& [setting, value] : kSettings) {
        check_setting("sqlite3_db_config", sqlite3_db_config(handle, setting, value, nullptr));
    }
    constexpr std::array<std::pair<int, int>, 7> kLimits{{
        {SQLITE_LIMIT_LENGTH, 64 << 20},
        {SQLITE_LIMIT_SQL_LENGTH, 64 << 10},
        {SQLITE_LIMIT_COLUMN, 64},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 64},
        {SQLITE_LIMIT_EXPR_DEPTH, 64},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_ATTACHED, 0},
    }};
    for (const auto& [limit, value] : kLimits) {
        sqlite3_limit(handle, limit, value);
    }
}

/// SQLite itself would only say "unable to open database file".
void check_length(const std::string& path) {
    constexpr std::string_view kLongestSuffix = "-journal";
    const int longest = sqlite3_vfs_find(nullptr)->mxPathname;
    if (path.size() + kLongestSuffix.size() >= static_cast<std::size_t>(longest)) {
        throw Failure(fmt::format("tuning database {}: the path has {} bytes, and SQLite opens "
                                  "paths of at most {}: use a shorter one",
                                  path, path.size(),
                                  static_cast<std::size_t>(longest) - kLongestSuffix.size() - 1),
                      SQLITE_CANTOPEN);
    }
}

struct Binder {
    sqlite3_stmt* statement;
    int index;

    int operator()(std::monostate) const { return sqlite3_bind_null(statement, index); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(statement, index, value); }
    int operator()(double value) const { return sqlite3_bind_double(statement, index, value); }
    int operator()(const std::string& value) const {
        return sqlite3_bind_text64(statement, index, value.data(), value.size(), SQLITE_TRANSIENT,
                                   SQLITE_UTF8);
    }
    int operator()(const Blob& value) const {
        return sqlite3_bind_blob64(statement, index, value.bytes.data(), value.bytes.size(),
                                   SQLITE_TRANSIENT);
    }
};

/// The bytes of a text or blob, until the next step. Running out of memory must not look like an
/// empty value: the row would count as damaged and be deleted.
std::string_view bytes(sqlite3_stmt* statement, int column, const void* data) {
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
    sqlite3* handle = sqlite3_db_handle(statement);
    if (data == nullptr && sqlite3_errcode(handle) == SQLITE_NOMEM) {
        fail(handle, sqlite3_sql(statement), SQLITE_NOMEM);
    }
    return data == nullptr ? std::string_view()
                           : std::string_view(static_cast<const char*>(data), size);
}

Cell cell(sqlite3_stmt* statement, int column) {
    switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER:
            return std::int64_t{sqlite3_column_int64(statement, column)};
        case SQLITE_FLOAT:
            return sqlite3_column_double(statement, column);
        case SQLITE_TEXT:
            return std::string(bytes(statement, column, sqlite3_column_text(statement, column)));
        case SQLITE_BLOB:
            return Blob{
                std::string(bytes(statement, column, sqlite3_column_blob(statement, column)))};
        default:
            return std::monostate{};
    }
}

}  // namespace

const char* library_version() {
    return sqlite3_libversion();
}

int Connection::BusyWait::retry(void* self, int earlier_tries) noexcept {
    const bool no_locks = errno == ENOLCK;  // first: later calls change it
    auto& wait = *static_cast<BusyWait*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (earlier_tries == 0) {
        wait.begin = now;
    }
    // A file system without locks has none later either.
    constexpr std::chrono::milliseconds kPause{1}, kMostWithoutLocks{20};
    const auto limit = no_locks ? std::min(wait.limit, kMostWithoutLocks) : wait.limit;
    if (now - wait.begin >= limit || earlier_tries * kPause >= limit) {
        return 0;
    }
    std::this_thread::sleep_for(kPause);
    return 1;
}

void Connection::Closer::operator()(sqlite3* handle) const noexcept {
    const FileSizeGuard guard;
    sqlite3_close(handle);
}

Connection::Connection(const std::string& path, Mode mode, const char* vfs)
    : busy_wait_(new BusyWait) {
    constexpr int kAlways = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW |
                            SQLITE_OPEN_EXRESCODE;
    constexpr int kMemory = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
    const int access = mode == Mode::memory      ? kMemory
                       : mode == Mode::read_only ? SQLITE_OPEN_READONLY
                                                 : SQLITE_OPEN_READWRITE;
    const std::string file = mode == Mode::memory ? ":memory:" : path;
    check_setting("sqlite3_initialize", sqlite3_initialize());
    check_length(file);
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &raw, kAlways | access, vfs);
    handle_.reset(raw);
    if (code != SQLITE_OK) {  // a handle that is not open does not know its file
        throw Failure(fmt::format("tuning database {}: cannot open it: {} (SQLite code {}){}", file,
                                  sqlite3_errstr(code), code, advice(code)),
                      code);
    }
    check_setting("sqlite3_busy_handler",
                  sqlite3_busy_handler(raw, BusyWait::retry, busy_wait_.get()));
    harden(raw);
    execute("PRAGMA mmap_size = 0");
    execute("PRAGMA cell_size_check = ON");
    if (mode == Mode::read_write && sqlite3_db_readonly(raw, "main") != 0) {
        if (::access(file.c_str(), W_OK) == 0) {  // the system refused something else
            throw Failure(fmt::format("tuning database {}: it cannot be opened for writing now, "
                                      "though its mode allows that; try again",
                                      path),
                          SQLITE_CANTOPEN);
        }
        throw Failure(fmt::format("tuning database {}: the file is write protected{}", path,
                                  advice(SQLITE_READONLY)),
                      SQLITE_READONLY);
    }
}

void Connection::execute(const std::string& sql) {
    const FileSizeGuard guard;
    errno = 0;
    check(handle(), sql, sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr));
}

template <class Value>
Value Connection::single(const std::string& sql) {
    Statement statement(*this, sql);
    Cursor cursor = statement.run();
    if (cursor.next()) {
        Row row = cursor.row();
        if (auto* value = std::get_if<Value>(&row.at(0))) {
            return std::move(*value);
        }
    }
    throw Failure(
        fmt::format("{}: cannot {}: the answer has another type", name(), attempt_of(sql)),
        SQLITE_MISMATCH, sql);
}

void Connection::vacuum() {
    sqlite3_limit(handle(), SQLITE_LIMIT_ATTACHED, 1);  // the copy that SQLite makes
    struct Reset {
        sqlite3* handle;
        ~Reset() { sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0); }
    };
    const Reset reset{handle()};
    execute("VACUUM");
}

std::int64_t Connection::integer(const std::string& sql) {
    return single<std::int64_t>(sql);
}

std::string Connection::text(const std::string& sql) {
    return single<std::string>(sql);
}

std::string Connection::name() const {
    return database_name(handle());
}

void Connection::set_busy_wait(std::chrono::milliseconds wait) {
    busy_wait_->limit = wait;
}

Cursor::~Cursor() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
}

bool Cursor::next() {
    errno = 0;
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        fail(sqlite3_db_handle(statement_), sqlite3_sql(statement_), code);
    }
    return code == SQLITE_ROW;
}

Row Cursor::row() const {
    const int columns = sqlite3_data_count(statement_);
    Row row;
    row.reserve(static_cast<std::size_t>(columns));
    for (int column = 0; column < columns; ++column) {
        row.push_back(cell(statement_, column));
    }
    return row;
}

std::optional<std::string_view> Cursor::text(int column) const {
    if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) {
        return std::nullopt;
    }
    return bytes(statement_, column, sqlite3_column_text(statement_, column));
}

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

Statement::Statement(const Connection& connection, const std::string& sql) {
    const FileSizeGuard guard;
    sqlite3_stmt* raw = nullptr;
    errno = 0;
    const int code = sqlite3_prepare_v3(connection.handle(), sql.c_str(), -1,
                                        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    handle_.reset(raw);
    check(connection.handle(), sql, code);
}

Cursor Statement::run(const Row& parameters) {
    sqlite3_stmt* statement = handle_.get();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        check(sqlite3_db_handle(statement), sqlite3_sql(statement),
              std::visit(Binder{statement, static_cast<int>(i) + 1}, parameters[i]));
    }
    return Cursor(statement);
}

void Statement::execute(const Row& parameters) {
    Cursor cursor = run(parameters);
    while (cursor.next()) {
    }
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
    connection_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
    // SQLite has rolled back by itself after some failures, and a commit leaves nothing to do.
    if (sqlite3_get_autocommit(connection_.handle()) == 0) {
        const FileSizeGuard guard;
        sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void Transaction::commit() {
    connection_.execute("COMMIT");
}

}  // namespace jitune::internal::sqlite
