// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/winners/record.hpp"

/// Records as rows of the database, made from their lists of fields.
namespace jitune::internal {

/// A table's name and its columns: the digest over the others, then the record's fields.
struct RecordTable {
    std::string_view name;
    std::vector<std::string_view> columns;
    sqlite::Row added;  ///< the values that older rows have in the last columns; see Field::added
};

/// A value as its column stores it. Throws Error(store) that names the field for a number that is
/// not finite or out of range, and for a list of texts that is another list when it is read back
/// from lines.
sqlite::Cell to_cell(const Field& field, const std::string& value);
sqlite::Cell to_cell(const Field& field, std::int64_t value);
sqlite::Cell to_cell(const Field& field, bool value);
sqlite::Cell to_cell(const Field& field, double value);
sqlite::Cell to_cell(const Field& field, Verdict value);
sqlite::Cell to_cell(const Field& field, const std::vector<double>& values);
sqlite::Cell to_cell(const Field& field, const std::vector<std::string>& values);

/// Reads a value from its cell, and may move it out of the cell. False if the cell has another type
/// or holds a value that to_cell() would refuse.
bool from_cell(const Field& field, sqlite::Cell&& cell, std::string& value);
bool from_cell(const Field& field, sqlite::Cell&& cell, std::int64_t& value);
bool from_cell(const Field& field, sqlite::Cell&& cell, bool& value);
bool from_cell(const Field& field, sqlite::Cell&& cell, double& value);
bool from_cell(const Field& field, sqlite::Cell&& cell, Verdict& value);
bool from_cell(const Field& field, sqlite::Cell&& cell, std::vector<double>& values);
bool from_cell(const Field& field, sqlite::Cell&& cell, std::vector<std::string>& values);

/// The names of a record's columns, without a digest.
template <HasFields Record>
std::vector<std::string_view> columns_of() {
    std::vector<std::string_view> columns;
    Record record;
    each_field(record, [&](const Field& field, auto&) { columns.emplace_back(field.name); });
    return columns;
}

/// A record's values in the order of columns_of().
template <HasFields Record>
sqlite::Row cells_of(const Record& record) {
    sqlite::Row cells;
    each_field(record, [&](const Field& field, const auto& value) {
        cells.push_back(to_cell(field, value));
    });
    return cells;
}

/// The record whose values are the cells of `row` from `first` on, if each has its field's type.
template <HasFields Record>
std::optional<Record> from_cells(sqlite::Row row, std::size_t first) {
    Record record;
    std::size_t next = first;
    bool good = true;
    each_field(record, [&](const Field& field, auto& value) {
        good = good && next < row.size() && from_cell(field, std::move(row[next]), value);
        ++next;
    });
    return good ? std::optional(std::move(record)) : std::nullopt;
}

template <HasFields Record>
const RecordTable& table_of() {
    // Never destroyed: the standard session still writes while the process exits.
    static const RecordTable& table = *new RecordTable([] {
        RecordTable made{Record::kTable, columns_of<Record>(), {}};
        made.columns.insert(made.columns.begin(), "digest");
        const Record older;
        each_field(older, [&](const Field& field, const auto& value) {
            if (field.added) {
                made.added.push_back(to_cell(field, value));
            }
        });
        return made;
    }());
    return table;
}

/// "SELECT <all columns> FROM <table> <rest>"
std::string select(const RecordTable& table, std::string_view rest);

/// "<verb> INTO <table>(<all columns>) VALUES(?1, …)"
std::string insert(std::string_view verb, const RecordTable& table);

/// "INSERT INTO measurement(…) VALUES(?1, …) …" that leaves a stored measurement as it is, and
/// stores median and noise of the samples beside them. The schema's checks have
/// added the functions for that.
std::string insert_measurement();

/// "WHERE kernel = ?1 AND types = ?2 …": the rows of a key whose cells_of() are bound.
std::string where_key();

/// As where_key(), for the rows whose keys differ at most in the bucket. The same cells are bound.
std::string where_key_of_any_bucket();

/// The rows of where_key_of_any_bucket() whose first three sizes are near those of the key. One
/// more cell is bound last: the largest distance in each size, in half-octaves.
std::string where_key_of_near_bucket();

/// 16 bytes over all cells of a table's row but the first, which is the digest's own.
sqlite::Blob digest_of(const RecordTable& table, const sqlite::Row& row);

/// 16 bytes over a key.
sqlite::Blob digest_of(const RecordKey& key);

/// A digest as 32 lower-case hexadecimal digits.
std::string hex_text(const sqlite::Blob& digest);

/// A whole row with its digest. Throws Error(store) as to_cell() does.
template <HasFields Record>
sqlite::Row to_row(const Record& record) {
    sqlite::Row row(1);  // the digest's place
    each_field(record, [&](const Field& field, const auto& value) {
        row.push_back(to_cell(field, value));
    });
    row.front() = digest_of(table_of<Record>(), row);
    return row;
}

/// The record of a row that select() has read; nothing if the digest, the type of a cell or its
/// value is wrong.
template <HasFields Record>
std::optional<Record> from_row(sqlite::Row row) {
    const RecordTable& table = table_of<Record>();
    if (row.size() != table.columns.size() || row.front() != sqlite::Cell(digest_of(table, row))) {
        return std::nullopt;
    }
    return from_cells<Record>(std::move(row), 1);
}

/// False for a record whose own is_sound() says that its texts or numbers mean nothing.
template <HasFields Record>
bool is_sound(const Record& record) {
    if constexpr (requires { record.is_sound(); }) {
        return record.is_sound();
    } else {
        return true;
    }
}

template <HasFields Record>
struct Rows {
    std::vector<Record> records;
    std::int64_t damaged = 0;  ///< rows that are left out
};

/// The rows that a statement of select() finds. Those count as damaged for which from_row() has
/// nothing, or that `is_good` refuses.
template <HasFields Record, class IsGood>
Rows<Record> read_rows(sqlite::Statement& statement, const sqlite::Row& parameters,
                       const IsGood& is_good) {
    Rows<Record> rows;
    for (sqlite::Cursor cursor = statement.run(parameters); cursor.next();) {
        std::optional<Record> record = from_row<Record>(cursor.row());
        if (record && is_good(*record)) {
            rows.records.push_back(std::move(*record));
        } else {
            ++rows.damaged;
        }
    }
    return rows;
}
template <HasFields Record>
Rows<Record> read_rows(sqlite::Statement& statement, const sqlite::Row& parameters = {}) {
    return read_rows<Record>(statement, parameters, is_sound<Record>);
}

}  // namespace jitune::internal
