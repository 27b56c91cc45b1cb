// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/integrity.hpp"

#include <fmt/format.h>

#include "tuner_db/calls/call_record.hpp"
#include "tuner_db/calls/doubt.hpp"
#include "tuner_db/merge/merge_log.hpp"
#include "tuner_db/winners/binary_table.hpp"
#include "tuner_db/winners/record_row.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

// Reads without an index, which may be the damaged part.
template <HasFields Record>
std::int64_t check_rows(const sqlite::Connection& connection, std::vector<std::string>& problems) {
    const RecordTable& table = table_of<Record>();
    std::int64_t good = 0;
    try {
        sqlite::Statement statement(connection, select(table, "NOT INDEXED"));
        std::int64_t number = 1;
        for (sqlite::Cursor cursor = statement.run(); cursor.next(); ++number) {
            const std::optional<Record> record = from_row<Record>(cursor.row());
            if (record && is_sound(*record)) {
                ++good;
            } else {
                problems.push_back(fmt::format("{} {}: wrong digest, type, sizes, times or bound",
                                               table.name, number));
            }
        }
    } catch (const sqlite::Failure& failure) {
        problems.emplace_back(failure.what());
    }
    return good;
}

void check_pages(const sqlite::Connection& connection, std::vector<std::string>& problems) {
    try {
        sqlite::Statement statement(connection, "PRAGMA integrity_check");
        for (sqlite::Cursor cursor = statement.run(); cursor.next();) {
            const sqlite::Row row = cursor.row();
            const auto* line = std::get_if<std::string>(&row.at(0));
            if (line != nullptr && *line != "ok") {
                problems.push_back("integrity_check: " + *line);
            }
        }
    } catch (const sqlite::Failure& failure) {
        problems.emplace_back(failure.what());
    }
}

}  // namespace

StoreCheck check_store(const sqlite::Connection& connection) {
    StoreCheck check;
    check_pages(connection, check.problems);
    check.winners = check_rows<Winner>(connection, check.problems);
    check.measurements = check_rows<Measurement>(connection, check.problems);
    check_rows<CallRecord>(connection, check.problems);
    check_rows<Pause>(connection, check.problems);
    check_rows<Doubt>(connection, check.problems);
    check_rows<KeptBinary>(connection, check.problems);
    check_rows<Pin>(connection, check.problems);
    check_rows<Merge>(connection, check.problems);
    check_rows<MergedWinner>(connection, check.problems);
    check_rows<MergeStep>(connection, check.problems);
    return check;
}

}  // namespace jitune::internal
