// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/row.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "support/hash.hpp"

namespace jitune::internal {

namespace {

using sqlite::Blob;
using sqlite::Cell;
using sqlite::Row;

static_assert(std::endian::native == std::endian::little, "samples are stored little-endian");

constexpr std::array<std::string_view, 19> kMeasurementColumns{
    "digest",        "kernel",       "types",      "bucket",         "alignment",
    "template_hash", "device_class", "sizes",      "configuration",  "verdict",
    "reason",        "conditions",   "samples_ns", "device_name",    "device_uuid",
    "driver",        "compiler",     "created_at", "reproducibility"};

constexpr std::array<std::string_view, 26> kWinnerColumns{
    "digest",        "kernel",          "types",        "bucket",
    "alignment",     "template_hash",   "device_class", "sizes",
    "configuration", "median_ns",       "noise",        "default_median_ns",
    "complete",      "image_format",    "image",        "symbols",
    "device_name",   "device_uuid",     "driver",       "compiler",
    "created_at",    "reproducibility", "conditions",   "uncertainty",
    "speed_up_low",  "speed_up_high"};

// In the columns after created_at, with which version 1 ended.
using Migrated = std::variant<std::string_view, double>;
constexpr std::array<Migrated, 1> kMigratedMeasurement{"fixed"};
constexpr std::array<Migrated, 5> kMigratedWinner{"fixed", "", 0.0, 0.0, 0.0};

bool equals(const Cell& cell, const Migrated& value) {
    if (const auto* text = std::get_if<std::string_view>(&value)) {
        const auto* found = std::get_if<std::string>(&cell);
        return found != nullptr && *found == *text;
    }
    const auto* found = std::get_if<double>(&cell);
    return found != nullptr && *found == std::get<double>(value);
}

struct FieldHasher {
    Hasher& hasher;

    void operator()(std::monostate) const { hasher.bytes({}); }
    void operator()(std::int64_t value) const { hasher.integer(value); }
    void operator()(double value) const { hasher.real(value); }
    void operator()(const std::string& value) const { hasher.text(value); }
    void operator()(const Blob& value) const {
        hasher.bytes(std::as_bytes(std::span(value.bytes)));
    }
};

Blob blob_of(const Digest& digest) {
    return Blob{std::string(reinterpret_cast<const char*>(digest.data()), digest.size())};
}

/// Over every cell but the first, as stored, and but the last ones as far as they have the values
/// that migrations gave to older rows. So the digests of those still hold, and a measurement keeps
/// its identity. A change from or to such a value is found all the same: the other digest has more
/// fields.
Cell digest(const Table& table, const Row& row) {
    std::size_t end = row.size();
    for (auto value = table.migrated.rbegin();
         value != table.migrated.rend() && equals(row[end - 1], *value); ++value) {
        --end;
    }
    Hasher hasher(table.name);
    for (std::size_t i = 1; i < end; ++i) {
        std::visit(FieldHasher{hasher}, row[i]);
    }
    return blob_of(hasher.digest());
}

void append(Row& row, const RecordKey& key) {
    row.insert(row.end(), {key.kernel, key.types, key.bucket, key.alignment, key.template_hash,
                           key.device_class});
}

void append(Row& row, const Provenance& provenance) {
    row.insert(row.end(), {provenance.device_name, provenance.device_uuid, provenance.driver,
                           provenance.compiler, provenance.created_at});
}

double checked(std::string_view field, double value, double smallest) {
    if (!std::isfinite(value) || value < smallest) {
        throw Error(ErrorKind::store,
                    fmt::format("tuning database: save: {} is {}, not a {} number", field, value,
                                smallest > 0 ? "positive" : "non-negative"));
    }
    return value + 0.0;  // SQLite stores -0.0 as 0.0
}

constexpr double kPositive = 5e-324;

Blob pack_samples(const std::vector<double>& samples) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
        checked(fmt::format("samples_ns[{}]", i), samples[i], kPositive);
    }
    return {std::string(reinterpret_cast<const char*>(samples.data()),
                        samples.size() * sizeof(double))};
}

std::vector<double> unpack_samples(const Blob& blob) {
    std::vector<double> samples(blob.bytes.size() / sizeof(double));
    if (!samples.empty()) {
        std::memcpy(samples.data(), blob.bytes.data(), samples.size() * sizeof(double));
    }
    return samples;
}

std::string join_symbols(const std::vector<std::string>& symbols) {
    for (const std::string& symbol : symbols) {
        if (symbol.empty() || symbol.find('\n') != std::string::npos) {
            throw Error(ErrorKind::store,
                        fmt::format("tuning database: save: symbols: \"{}\" is no name", symbol));
        }
    }
    return fmt::format("{}", fmt::join(symbols, "\n"));
}

std::vector<std::string> split_symbols(const std::string& text) {
    std::vector<std::string> symbols;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        symbols.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return symbols;
}

/// Takes cells one after the other; after one of a wrong type, `good` is false.
class Reader {
public:
    Reader(const Row& row, std::size_t first) : row_(row), next_(first) {}

    template <class Value>
    Value take() {
        const auto* value = next_ < row_.size() ? std::get_if<Value>(&row_[next_]) : nullptr;
        ++next_;
        good_ = good_ && value != nullptr;
        return value != nullptr ? *value : Value{};
    }
    void fail() { good_ = false; }

    std::string text() { return take<std::string>(); }
    std::int64_t integer() { return take<std::int64_t>(); }
    double real() { return take<double>(); }

    RecordKey key() {
        // Braces evaluate from left to right.
        return {text(), text(), integer(), integer(), text(), text()};
    }
    Provenance provenance() { return {text(), text(), text(), text(), text()}; }

    [[nodiscard]] bool good() const { return good_; }

private:
    const Row& row_;
    std::size_t next_;
    bool good_ = true;
};

Verdict take_verdict(Reader& reader) {
    const std::string word = reader.text();
    const std::optional<Verdict> verdict = verdict_from(word);
    if (!verdict) {
        reader.fail();
    }
    return verdict.value_or(Verdict::crashed);
}

bool digest_holds(const Table& table, const Row& row) {
    return row.size() == table.columns.size() && row.front() == digest(table, row);
}

}  // namespace

const Table kMeasurementTable{"measurement", kMeasurementColumns, kMigratedMeasurement};
const Table kWinnerTable{"winner", kWinnerColumns, kMigratedWinner};

std::string select(const Table& table, std::string_view rest) {
    return fmt::format("SELECT {} FROM {} {}", fmt::join(table.columns, ", "), table.name, rest);
}

std::string insert(std::string_view verb, const Table& table) {
    std::string values = "?1";
    for (std::size_t i = 2; i <= table.columns.size(); ++i) {
        values += fmt::format(", ?{}", i);
    }
    return fmt::format("{} INTO {}({}) VALUES({})", verb, table.name,
                       fmt::join(table.columns, ", "), values);
}

Row encode(const RecordKey& key) {
    Row row;
    append(row, key);
    return row;
}

Blob digest_of(const RecordKey& key) {
    Hasher hasher("key");
    for (const Cell& cell : encode(key)) {
        std::visit(FieldHasher{hasher}, cell);
    }
    return blob_of(hasher.digest());
}

Row encode(const Measurement& measurement) {
    Row row(1);
    append(row, measurement.key);
    row.insert(row.end(), {measurement.sizes, measurement.configuration,
                           std::string(to_string(measurement.verdict)), measurement.reason,
                           measurement.conditions, pack_samples(measurement.samples_ns)});
    append(row, measurement.provenance);
    row.emplace_back(measurement.reproducibility);
    row.front() = digest(kMeasurementTable, row);
    return row;
}

Row encode(const Winner& winner) {
    Row row(1);
    append(row, winner.key);
    row.insert(
        row.end(),
        {winner.sizes, winner.configuration, checked("median_ns", winner.median_ns, kPositive),
         checked("noise", winner.noise, 0),
         checked("default_median_ns", winner.default_median_ns, 0), std::int64_t{winner.complete},
         winner.image_format, Blob{winner.image}, join_symbols(winner.symbols)});
    append(row, winner.provenance);
    const Certainty& certainty = winner.certainty;
    row.insert(row.end(), {winner.reproducibility, certainty.conditions,
                           checked("uncertainty", certainty.uncertainty, 0),
                           checked("speed_up_low", certainty.speed_up_low, 0),
                           checked("speed_up_high", certainty.speed_up_high, 0)});
    row.front() = digest(kWinnerTable, row);
    return row;
}

std::optional<RecordKey> decode_key(const Row& row) {
    Reader reader(row, 0);
    RecordKey key = reader.key();
    return reader.good() ? std::optional(std::move(key)) : std::nullopt;
}

std::optional<Measurement> decode_measurement(const Row& row) {
    if (!digest_holds(kMeasurementTable, row)) {
        return std::nullopt;
    }
    Reader reader(row, 1);
    Measurement measurement{reader.key(),
                            reader.text(),
                            reader.text(),
                            take_verdict(reader),
                            reader.text(),
                            reader.text(),
                            unpack_samples(reader.take<Blob>()),
                            reader.provenance(),
                            reader.text()};
    return reader.good() ? std::optional(std::move(measurement)) : std::nullopt;
}

std::optional<Winner> decode_winner(const Row& row) {
    if (!digest_holds(kWinnerTable, row)) {
        return std::nullopt;
    }
    Reader reader(row, 1);
    Winner winner{reader.key(),
                  reader.text(),
                  reader.text(),
                  reader.real(),
                  reader.real(),
                  reader.real(),
                  reader.integer() != 0,
                  reader.text(),
                  reader.take<Blob>().bytes,
                  split_symbols(reader.text()),
                  reader.provenance(),
                  reader.text(),
                  {reader.text(), reader.real(), reader.real(), reader.real()}};
    return reader.good() ? std::optional(std::move(winner)) : std::nullopt;
}

}  // namespace jitune::internal
