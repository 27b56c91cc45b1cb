// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/schema.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sqlite3.h>

#include "measure/statistics.hpp"
#include "support/embedded.hpp"

namespace jitune::internal {

namespace {

using sqlite::Connection;
using sqlite::Transaction;

[[noreturn]] void refuse(const Connection& connection, const std::string& why) {
    throw Error(ErrorKind::store, fmt::format("{}: {}", connection.name(), why));
}

using Part = double Summary::*;

template <Part kPart>
void summarize_blob(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
    const auto bytes = static_cast<std::size_t>(sqlite3_value_bytes(arguments[0]));
    const void* const data = sqlite3_value_blob(arguments[0]);
    try {
        std::vector<double> samples(data == nullptr ? 0 : bytes / sizeof(double));
        if (!samples.empty()) {
            std::memcpy(samples.data(), data, samples.size() * sizeof(double));
        }
        sqlite3_result_double(context, summarize(samples).*kPart);
    } catch (const std::exception&) {  // damaged samples have no summary
        sqlite3_result_null(context);
    }
}

/// Adds the SQL functions jitune_median_ns(samples) and jitune_noise(samples), which summarize a
/// column samples_ns as summarize() does. NULL for what holds no positive, finite samples. Only
/// statements of this connection can call them, no view or index.
void add_sample_functions(sqlite::Connection& connection) {
    constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    const auto add = [&](const char* name, auto* function) {
        sqlite::check(connection.handle(), name,
                      sqlite3_create_function_v2(connection.handle(), name, 1, kFlags, nullptr,
                                                 function, nullptr, nullptr, nullptr));
    };
    add("jitune_median_ns", &summarize_blob<&Summary::median_ns>);
    add("jitune_noise", &summarize_blob<&Summary::noise>);
}

/// The schema version of jitune 0.2. Only development versions wrote the versions before it.
constexpr std::int64_t kFirstVersion = 10;

std::vector<Migration> known_migrations() {
    std::vector<Migration> migrations;
    std::int64_t version = kFirstVersion - 1;
    for (const embedded::File& file : embedded::schema) {
        migrations.push_back({migrations.empty() ? 0 : version, file.text});
        ++version;
    }
    return migrations;
}

std::vector<sqlite::Row> schema_rows(Connection& connection) {
    sqlite::Statement statement(
        connection, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
    std::vector<sqlite::Row> rows;
    for (sqlite::Cursor cursor = statement.run(); cursor.next();) {
        rows.push_back(cursor.row());
    }
    return rows;
}

/// The application, the version and the schema of a database, read in one transaction.
struct Header {
    std::int64_t application_id;
    std::int64_t version;
    std::vector<sqlite::Row> schema;  ///< tables, indexes, views and triggers

    explicit Header(Connection& connection) {
        const Transaction moment(connection, Transaction::Kind::read);
        application_id = connection.integer("PRAGMA application_id");
        version = connection.integer("PRAGMA user_version");
        schema = schema_rows(connection);
    }

    [[nodiscard]] bool empty() const {
        return application_id == 0 && version == 0 && schema.empty();
    }
};

void check_header(const Connection& connection, const Header& header) {
    if (header.application_id != kApplicationId) {
        refuse(connection,
               fmt::format("it belongs to another application (application_id {:#x}, not {:#x}): "
                           "use another path",
                           header.application_id, kApplicationId));
    }
    if (header.version > schema_version()) {
        refuse(connection,
               fmt::format("its version is {}, and this jitune reads versions up to {}: use a "
                           "newer jitune or another path",
                           header.version, schema_version()));
    }
    if (header.version < kFirstVersion) {
        refuse(connection,
               fmt::format("its version is {}, of a jitune before 0.2: remove the file, or use "
                           "another path",
                           header.version));
    }
}

/// The schema of each version from kFirstVersion on.
std::vector<std::vector<sqlite::Row>> make_schemas() {
    Connection connection("", Connection::Mode::memory);
    add_sample_functions(connection);
    std::vector<std::vector<sqlite::Row>> schemas;
    for (std::int64_t version = kFirstVersion; version <= schema_version(); ++version) {
        migrate(connection, known_migrations(), version);
        schemas.push_back(schema_rows(connection));
    }
    return schemas;
}

/// True for what a person may add, because it changes no answer and refuses no row: views, indexes
/// that are not unique, and the tables of ANALYZE.
bool is_for_people(const sqlite::Row& row) {
    const auto text = [&](std::size_t column) {
        const auto* value = std::get_if<std::string>(&row.at(column));
        return value == nullptr ? std::string_view() : std::string_view(*value);
    };
    const std::string_view type = text(0);
    // SQLite stores the first words of a statement in capitals, with one space between them.
    return type == "view" || (type == "index" && text(3).starts_with("CREATE INDEX ")) ||
           (type == "table" && text(1).starts_with("sqlite_stat"));
}

[[noreturn]] void refuse_schema(const Connection& connection, const Header& header,
                                const std::string& what) {
    refuse(connection, fmt::format("its schema is not that of version {} ({}): use another path",
                                   header.version, what));
}

void check_schema(const Connection& connection, const Header& header) {
    // Never destroyed: see table_of().
    static const auto& schemas = *new std::vector<std::vector<sqlite::Row>>(make_schemas());
    const auto& expected = schemas.at(static_cast<std::size_t>(header.version - kFirstVersion));
    const auto& found = header.schema;
    const auto unexpected = std::find_if(found.begin(), found.end(), [&](const sqlite::Row& row) {
        return std::find(expected.begin(), expected.end(), row) == expected.end() &&
               !is_for_people(row);
    });
    if (unexpected != found.end()) {
        const auto* name = std::get_if<std::string>(&unexpected->at(1));
        refuse_schema(connection, header, name == nullptr ? "" : "see " + *name);
    }
    const bool all = std::all_of(expected.begin(), expected.end(), [&](const sqlite::Row& row) {
        return std::find(found.begin(), found.end(), row) != found.end();
    });
    if (!all) {
        refuse_schema(connection, header, "a table or index is missing");
    }
}

void check(const Connection& connection, const Header& header) {
    check_header(connection, header);
    check_schema(connection, header);
}

}  // namespace

std::int64_t schema_version() {
    return kFirstVersion - 1 + std::ssize(embedded::schema);
}

void migrate(Connection& connection, std::span<const Migration> migrations, std::int64_t target) {
    // Without this, SQLite would change a person's views to use the old table, which a migration
    // renames and drops.
    connection.execute("PRAGMA legacy_alter_table = ON");
    Transaction transaction(connection, Transaction::Kind::write);
    std::int64_t version = connection.integer("PRAGMA user_version");
    while (version != target) {
        const auto next = std::find_if(migrations.begin(), migrations.end(),
                                       [&](const Migration& row) { return row.from == version; });
        if (next == migrations.end()) {
            refuse(connection, fmt::format("no migration from version {} to {}", version, target));
        }
        connection.execute(std::string(next->sql));
        const std::int64_t reached = connection.integer("PRAGMA user_version");
        if (reached <= version) {
            refuse(connection,
                   fmt::format("the migration from version {} set version {}", version, reached));
        }
        version = reached;
    }
    transaction.commit();
}

void prepare_schema(Connection& connection, Connection::Mode mode) {
    add_sample_functions(connection);
    const Header header(connection);
    if (!header.empty()) {
        check(connection, header);
        if (header.version == schema_version()) {
            return;
        }
    }
    const std::string older = fmt::format(
        "it has version {}, and version {} is needed: migrate it by `jitune db path`; if the file "
        "or its directory is write protected, migrate a copy",
        header.version, schema_version());
    if (mode == Connection::Mode::read_only) {
        refuse(connection, header.empty() ? "it is empty: open it for writing once" : older);
    }
    try {
        migrate(connection, known_migrations(), schema_version());
    } catch (const sqlite::Failure& failure) {
        if (header.empty() || !failure.write_protected()) {
            throw;
        }
        refuse(connection, older);
    }
    check(connection, Header(connection));
}

}  // namespace jitune::internal
