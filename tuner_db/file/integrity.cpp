// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/integrity.hpp"

#include <fmt/format.h>

#include "tuner_db/calls/doubt.hpp"
#include "tuner_db/calls/miss.hpp"
#include "tuner_db/calls/usage.hpp"
#include "tuner_db/merge/merge_record.hpp"
#include "tuner_db/winners/kept_binary.hpp"
#include "tuner_db/winners/pin.hpp"
#include "tuner_db/winners/record_row.hpp"
#include "tuner_db/winners/winner_table.hpp"

namespace jitune::internal {

namespace {

bool is_sound(const Measurement& /*measurement*/) {
    return true;
}
bool is_sound(const Miss& miss) {
    return miss.problem_sizes() && miss.problem_types();
}
bool is_sound(const Usage& usage) {
    return usage.problem_sizes().has_value();
}
bool is_sound(const Pause& /*pause*/) {
    return true;
}
bool is_sound(const Doubt& doubt) {
    return doubt.called_sizes().has_value();
}
bool is_sound(const KeptBinary& /*binary*/) {
    return true;
}
bool is_sound(const Pin& /*pin*/) {
    return true;
}
bool is_sound(const Merge& /*merge*/) {
    return true;
}
bool is_sound(const MergedWinner& merged) {
    return parse_coverage(merged.covers).has_value();
}
bool is_sound(const MergeStep& /*step*/) {
    return true;
}

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

}  // namespace

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

std::int64_t check_winners(const sqlite::Connection& connection,
                           std::vector<std::string>& problems) {
    return check_rows<Winner>(connection, problems);
}

std::int64_t check_measurements(const sqlite::Connection& connection,
                                std::vector<std::string>& problems) {
    return check_rows<Measurement>(connection, problems);
}

void check_call_records(const sqlite::Connection& connection, std::vector<std::string>& problems) {
    check_rows<Miss>(connection, problems);
    check_rows<Usage>(connection, problems);
    check_rows<Pause>(connection, problems);
    check_rows<Doubt>(connection, problems);
}

void check_binaries(const sqlite::Connection& connection, std::vector<std::string>& problems) {
    check_rows<KeptBinary>(connection, problems);
}

void check_choices(const sqlite::Connection& connection, std::vector<std::string>& problems) {
    check_rows<Pin>(connection, problems);
    check_rows<Merge>(connection, problems);
    check_rows<MergedWinner>(connection, problems);
    check_rows<MergeStep>(connection, problems);
}

}  // namespace jitune::internal
