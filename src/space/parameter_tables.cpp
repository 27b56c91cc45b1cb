#include "space/parameter_tables.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "jitune/error.hpp"

namespace jitune {

namespace {

/// A space of more bytes than this is a mistake in its constraints.
constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

// The column of values has no type, so that SQLite compares it without conversions. "#" cannot
// clash with it, since no parameter can have that name.

std::string create_table(std::size_t number, const Parameter& parameter) {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < parameter.values.size(); ++i) {
        const Scalar value =
            std::visit([](const auto& held) { return Scalar(held); }, parameter.values[i]);
        rows.push_back(fmt::format("({}, {})", i, Expression::constant(value).sql()));
    }
    return fmt::format(
        "CREATE TABLE p{0} (\"#\" INTEGER PRIMARY KEY, \"{1}\");"
        "INSERT INTO p{0} VALUES {2};",
        number, parameter.name, fmt::join(rows, ", "));
}

std::string select(const std::string& columns, const std::vector<std::string>& tables,
                   std::span<const Expression> constraints) {
    std::string sql = "SELECT " + columns;
    if (!tables.empty()) {
        sql += fmt::format(" FROM {}", fmt::join(tables, " CROSS JOIN "));
    }
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        sql += (i == 0 ? " WHERE " : " AND ") + constraints[i].sql();
    }
    return sql;
}

}  // namespace

void ParameterTables::Closer::operator()(sqlite3* database) const noexcept {
    sqlite3_close(database);
}

void ParameterTables::Finalizer::operator()(sqlite3_stmt* statement) const noexcept {
    sqlite3_finalize(statement);
}

ParameterTables::ParameterTables(std::span<const Parameter> parameters) : parameters_(parameters) {
    sqlite3* raw = nullptr;
    const int code = sqlite3_open_v2(
        ":memory:", &raw,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
        nullptr);
    database_.reset(raw);
    if (code != SQLITE_OK) {
        fail("sqlite3_open_v2");
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        execute(create_table(i, parameters[i]));
    }
}

std::vector<std::uint8_t> ParameterTables::combinations(
    std::span<const Expression> constraints) const {
    std::vector<std::string> tables;
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        tables.push_back(fmt::format("p{}", i));
        columns.push_back(fmt::format("p{}.\"#\"", i));
    }
    const std::string list = fmt::format("{}", fmt::join(columns, ", "));
    const Statement query = prepare(select(list, tables, constraints) + " ORDER BY " + list);
    std::vector<std::uint8_t> rows;
    const int count = static_cast<int>(columns.size());
    while (step(query)) {
        for (int i = 0; i < count; ++i) {
            rows.push_back(static_cast<std::uint8_t>(sqlite3_column_int(query.get(), i)));
        }
        if (rows.size() > kMaxBytes) {
            throw Error(ErrorKind::usage,
                        fmt::format("search space: more than {} configurations satisfy the "
                                    "constraints: add a constraint or list fewer values",
                                    rows.size() / columns.size()));
        }
    }
    return rows;
}

bool ParameterTables::satisfiable(std::span<const Expression> constraints) const {
    std::set<std::string> names;
    for (const Expression& constraint : constraints) {
        names.merge(constraint.names());
    }
    std::vector<std::string> tables;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (names.contains(parameters_[i].name)) {
            tables.push_back(fmt::format("p{}", i));
        }
    }
    return step(prepare(select("1", tables, constraints)));
}

void ParameterTables::execute(const std::string& sql) const {
    if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
        fail("sqlite3_exec");
    }
}

ParameterTables::Statement ParameterTables::prepare(const std::string& sql) const {
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &raw, nullptr);
    Statement statement(raw);
    if (code != SQLITE_OK) {
        fail("sqlite3_prepare_v2");
    }
    return statement;
}

bool ParameterTables::step(const Statement& statement) const {
    const int code = sqlite3_step(statement.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        fail("sqlite3_step");
    }
    return code == SQLITE_ROW;
}

/// What can fail is memory, or SQLite's limits on constraints that are deeply nested.
void ParameterTables::fail(const char* call) const {
    const bool memory = sqlite3_errcode(database_.get()) == SQLITE_NOMEM;
    throw Error(memory ? ErrorKind::unavailable : ErrorKind::usage,
                fmt::format("search space: {}: {}{}", call, sqlite3_errmsg(database_.get()),
                            memory ? "" : ": nest the constraints less deeply"));
}

}  // namespace jitune
