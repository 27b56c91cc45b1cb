#include "tuner_db/schema.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/embedded.hpp"

namespace jitune {

namespace {

using sqlite::Connection;
using sqlite::Transaction;

[[noreturn]] void refuse(const Connection& connection, const std::string& why) {
    throw Error(ErrorKind::store, fmt::format("{}: {}", connection.name(), why));
}

std::vector<Migration> known_migrations() {
    return {{0, embedded::schema.front().text}};
}

/// What a database says that it is, read at one moment.
struct Header {
    std::int64_t application_id;
    std::int64_t version;
    std::int64_t objects;  ///< tables, indexes, views and triggers

    explicit Header(Connection& connection) {
        const Transaction moment(connection, Transaction::Kind::read);
        application_id = connection.integer("PRAGMA application_id");
        version = connection.integer("PRAGMA user_version");
        objects = connection.integer("SELECT count(*) FROM sqlite_schema");
    }

    [[nodiscard]] bool empty() const { return application_id == 0 && version == 0 && objects == 0; }
};

void check_header(const Connection& connection, const Header& header) {
    if (header.application_id != kApplicationId) {
        refuse(connection,
               fmt::format("it belongs to another application (application_id {:#x}, not {:#x}): "
                           "use another path",
                           header.application_id, kApplicationId));
    }
    if (header.version > kSchemaVersion) {
        refuse(connection,
               fmt::format("its version is {}, and this jitune knows none above {}: use a newer "
                           "jitune or another path",
                           header.version, kSchemaVersion));
    }
    if (header.version < 1) {
        refuse(connection,
               fmt::format("its version is {}, which no jitune has written: use another path",
                           header.version));
    }
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

std::vector<sqlite::Row> expected_schema_rows() {
    Connection connection("", Connection::Mode::memory);
    migrate(connection, known_migrations(), kSchemaVersion);
    return schema_rows(connection);
}

void check_schema(Connection& connection) {
    static const std::vector<sqlite::Row> expected = expected_schema_rows();
    const std::vector<sqlite::Row> found = schema_rows(connection);
    if (found == expected) {
        return;
    }
    const auto strange = std::find_if(found.begin(), found.end(), [](const sqlite::Row& row) {
        return std::find(expected.begin(), expected.end(), row) == expected.end();
    });
    const auto* name = strange == found.end() ? nullptr : std::get_if<std::string>(&strange->at(1));
    refuse(connection,
           fmt::format("its schema is not that of version {} ({}): use another path",
                       kSchemaVersion, name != nullptr ? "see " + *name : "something is missing"));
}

}  // namespace

void migrate(Connection& connection, std::span<const Migration> migrations, std::int64_t target) {
    Transaction transaction(connection, Transaction::Kind::write);
    std::int64_t version = connection.integer("PRAGMA user_version");
    while (version != target) {
        const auto next = std::find_if(migrations.begin(), migrations.end(),
                                       [&](const Migration& row) { return row.from == version; });
        if (next == migrations.end()) {
            refuse(connection, fmt::format("nothing leads from version {} to {}", version, target));
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
    Header header(connection);
    const bool older = header.empty() || header.version < kSchemaVersion;
    if (!header.empty()) {
        check_header(connection, header);
    }
    if (older) {
        if (mode == Connection::Mode::read_only) {
            refuse(connection, header.empty()
                                   ? "it is empty: open it for writing once"
                                   : "it is of an older version: open it for writing once");
        }
        migrate(connection, known_migrations(), kSchemaVersion);
    }
    check_schema(connection);
}

}  // namespace jitune
