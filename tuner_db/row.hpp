// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "tuner_db/record.hpp"
#include "tuner_db/sqlite.hpp"

namespace jitune::internal {

/// A table's name and its columns, in the order of encode()'s cells. The first one is the digest
/// over the others. The last ones came after version 1: `migrated` are the values that older rows
/// have in them.
struct Table {
    std::string_view name;
    std::span<const std::string_view> columns;
    std::span<const std::variant<std::string_view, double>> migrated;
};

extern const Table kMeasurementTable;
extern const Table kWinnerTable;

/// "SELECT <all columns> FROM <table> <rest>"
std::string select(const Table& table, std::string_view rest);

/// "<verb> INTO <table>(<all columns>) VALUES(?1, …)"
std::string insert(std::string_view verb, const Table& table);

/// kernel, types, bucket, alignment, template_hash, device_class.
sqlite::Row encode(const RecordKey& key);

/// 16 bytes over a key.
sqlite::Blob digest_of(const RecordKey& key);

/// Throw Error(store) that names the field for a time that is not finite and positive and for
/// symbols that a list cannot hold.
sqlite::Row encode(const Measurement& measurement);
sqlite::Row encode(const Winner& winner);

/// The key in the first cells of `row`, or nothing where one has the wrong type.
std::optional<RecordKey> decode_key(const sqlite::Row& row);

/// Nothing where the digest or a cell's type or text does not hold.
std::optional<Measurement> decode_measurement(const sqlite::Row& row);
std::optional<Winner> decode_winner(const sqlite::Row& row);

}  // namespace jitune::internal
