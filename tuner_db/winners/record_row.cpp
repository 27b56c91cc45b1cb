// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/record_row.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sizes/bucket.hpp"
#include "support/hash.hpp"

namespace jitune::internal {

namespace {

using sqlite::Blob;
using sqlite::Cell;
using sqlite::Row;

static_assert(std::endian::native == std::endian::little, "samples are stored little-endian");

struct CellHasher {
    Hasher& hasher;

    void operator()(std::monostate) const { hasher.bytes({}); }
    void operator()(std::int64_t value) const { hasher.integer(value); }
    void operator()(double value) const { hasher.real(value); }
    void operator()(const std::string& value) const { hasher.text(value); }
    void operator()(const Blob& value) const {
        hasher.bytes(std::as_bytes(std::span(value.bytes)));
    }
};

Blob digest_over(std::string_view tag, std::span<const Cell> cells) {
    Hasher hasher(tag);
    for (const Cell& cell : cells) {
        std::visit(CellHasher{hasher}, cell);
    }
    const Digest digest = hasher.digest();
    return {std::string(reinterpret_cast<const char*>(digest.data()), digest.size())};
}

bool may_hold(const Field& field, double value) {
    return std::isfinite(value) && value >= 0 && !(field.positive && value == 0);
}

double checked(const Field& field, const std::string& name, double value) {
    if (!may_hold(field, value)) {
        throw Error(ErrorKind::store,
                    fmt::format("tuning database: cannot save {} = {}: it must be a {} number",
                                name, value, field.positive ? "positive" : "non-negative"));
    }
    return value + 0.0;  // SQLite stores -0.0 as 0.0
}

template <class Wanted>
std::string where_cells_of_key(Wanted wanted) {
    std::vector<std::string> terms;
    int number = 0;
    for (const std::string_view column : columns_of<RecordKey>()) {
        ++number;
        if (wanted(column)) {
            terms.push_back(fmt::format("{} = ?{}", column, number));
        }
    }
    return fmt::format("WHERE {}", fmt::join(terms, " AND "));
}

template <class Value>
bool take(Cell&& cell, Value& value) {
    auto* stored = std::get_if<Value>(&cell);
    if (stored != nullptr) {
        value = std::move(*stored);
    }
    return stored != nullptr;
}

/// "?1, ?2": one for each column.
std::string placeholders(const RecordTable& table) {
    std::string values = "?1";
    for (std::size_t i = 2; i <= table.columns.size(); ++i) {
        values += fmt::format(", ?{}", i);
    }
    return values;
}

}  // namespace

Cell to_cell(const Field& field, const std::string& value) {
    return field.binary ? Cell(Blob{value}) : Cell(value);
}

Cell to_cell(const Field& /*field*/, std::int64_t value) {
    return value;
}

Cell to_cell(const Field& /*field*/, bool value) {
    return std::int64_t{value};
}

Cell to_cell(const Field& field, double value) {
    return checked(field, field.name, value);
}

Cell to_cell(const Field& /*field*/, Verdict value) {
    return std::string(to_string(value));
}

Cell to_cell(const Field& field, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        checked(field, fmt::format("{}[{}]", field.name, i), values[i]);
    }
    return Blob{
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double))};
}

Cell to_cell(const Field& field, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
        if (value.empty() || value.find('\n') != std::string::npos) {
            throw Error(ErrorKind::store,
                        fmt::format("tuning database: cannot save {}: \"{}\" is empty or has a "
                                    "line break",
                                    field.name, value));
        }
    }
    return fmt::format("{}", fmt::join(values, "\n"));
}

bool from_cell(const Field& field, Cell&& cell, std::string& value) {
    if (!field.binary) {
        return take(std::move(cell), value);
    }
    Blob blob;
    const bool good = take(std::move(cell), blob);
    value = std::move(blob.bytes);
    return good;
}

bool from_cell(const Field& /*field*/, Cell&& cell, std::int64_t& value) {
    return take(std::move(cell), value);
}

bool from_cell(const Field& /*field*/, Cell&& cell, bool& value) {
    std::int64_t number = 0;
    const bool good = take(std::move(cell), number);
    value = number != 0;
    return good;
}

bool from_cell(const Field& field, Cell&& cell, double& value) {
    return take(std::move(cell), value) && may_hold(field, value);
}

bool from_cell(const Field& /*field*/, Cell&& cell, Verdict& value) {
    std::string name;
    const std::optional<Verdict> verdict =
        take(std::move(cell), name) ? verdict_from(name) : std::nullopt;
    value = verdict.value_or(value);
    return verdict.has_value();
}

bool from_cell(const Field& field, Cell&& cell, std::vector<double>& values) {
    Blob blob;
    const bool good = take(std::move(cell), blob) && blob.bytes.size() % sizeof(double) == 0;
    values.resize(blob.bytes.size() / sizeof(double));
    if (!values.empty()) {
        std::memcpy(values.data(), blob.bytes.data(), values.size() * sizeof(double));
    }
    return good && std::all_of(values.begin(), values.end(),
                               [&](double value) { return may_hold(field, value); });
}

bool from_cell(const Field& /*field*/, Cell&& cell, std::vector<std::string>& values) {
    std::string text;
    const bool good = take(std::move(cell), text);
    values.clear();
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        values.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return good;
}

std::string select(const RecordTable& table, std::string_view rest) {
    return fmt::format("SELECT {} FROM {} {}", fmt::join(table.columns, ", "), table.name, rest);
}

std::string insert(std::string_view verb, const RecordTable& table) {
    return fmt::format("{} INTO {}({}) VALUES({})", verb, table.name,
                       fmt::join(table.columns, ", "), placeholders(table));
}

std::string insert_measurement() {
    const RecordTable& table = table_of<Measurement>();
    const auto samples = std::find(table.columns.begin(), table.columns.end(), "samples_ns") -
                         table.columns.begin() + 1;
    // Not "INSERT OR IGNORE", which would also ignore a CHECK that fails.
    return fmt::format(
        "INSERT INTO {}({}, median_ns, noise) VALUES({}, jitune_median_ns(?{}), jitune_noise(?{})) "
        "ON CONFLICT(digest) DO NOTHING",
        table.name, fmt::join(table.columns, ", "), placeholders(table), samples, samples);
}

std::string where_key() {
    return where_cells_of_key([](std::string_view) { return true; });
}

std::string where_key_of_any_bucket() {
    return where_cells_of_key([](std::string_view column) { return column != "bucket"; });
}

std::string where_key_of_near_bucket() {
    const auto columns = columns_of<RecordKey>();
    const auto number = std::find(columns.begin(), columns.end(), "bucket") - columns.begin() + 1;
    std::string terms = where_key_of_any_bucket();
    for (std::size_t size = 0; size + 1 < kBucketSizes; ++size) {
        terms += fmt::format(" AND abs((bucket >> {0} & 255) - (?{1} >> {0} & 255)) <= ?{2}",
                             size * kBucketBits, number, columns.size() + 1);
    }
    return terms;
}

Blob digest_of(const RecordTable& table, const Row& row) {
    // The digest leaves out, from the last column backwards, the values that a migration gave to
    // older rows. So the digests of older rows still match, and a measurement keeps its identity.
    // Changing a cell from or to such a value is detected all the same: the other digest covers
    // more fields.
    std::size_t end = row.size();
    for (auto value = table.added.rbegin(); value != table.added.rend() && row[end - 1] == *value;
         ++value) {
        --end;
    }
    return digest_over(table.name, std::span(row).subspan(1, end - 1));
}

Blob digest_of(const RecordKey& key) {
    return digest_over("key", cells_of(key));
}

std::string hex_text(const Blob& digest) {
    std::string text;
    for (const char byte : digest.bytes) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return text;
}

}  // namespace jitune::internal
