// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/file/fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "fixtures/expect_error.hpp"
#include "fixtures/toy_record.hpp"
#include "tuner_db/file/schema.hpp"
#include "tuner_db/winners/record_message.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {
namespace {

/// A database with the toy's table, first without and then with the column that was added.
class RecordFields : public testing::Test {
protected:
    RecordFields() {
        database_.execute(
            "CREATE TABLE toy(digest BLOB, name TEXT, count INTEGER, time_ns REAL, done INTEGER, "
            "verdict TEXT, image BLOB, samples_ns BLOB, symbols TEXT, device_name TEXT, "
            "device_uuid TEXT, driver TEXT, compiler TEXT, created_at TEXT) STRICT");
    }
    void migrate_toy() {
        database_.execute("ALTER TABLE toy ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'");
    }

    template <class Record>
    void save(const Record& record) {
        sqlite::Statement(database_, insert("INSERT", table_of<Record>())).execute(to_row(record));
    }
    template <class Record>
    std::optional<Record> read() {
        sqlite::Statement statement(database_, select(table_of<Record>(), ""));
        sqlite::Cursor cursor = statement.run();
        return cursor.next() ? from_row<Record>(cursor.row()) : std::nullopt;
    }

    sqlite::Connection database_{"", sqlite::Connection::Mode::memory};
};

TEST_F(RecordFields, ARowHoldsEveryField) {
    migrate_toy();
    save(toy_of("merry"));
    EXPECT_EQ(read<Toy>(), toy_of("merry"));
}

TEST_F(RecordFields, ColumnsAreReadByNameWhateverTheirOrderInTheTable) {
    database_.execute(
        "DROP TABLE toy; CREATE TABLE toy(mood TEXT, created_at TEXT, compiler TEXT, driver TEXT, "
        "device_uuid TEXT, device_name TEXT, symbols TEXT, samples_ns BLOB, image BLOB, verdict "
        "TEXT, done INTEGER, time_ns REAL, count INTEGER, name TEXT, digest BLOB) STRICT");
    save(toy_of("merry"));
    EXPECT_EQ(read<Toy>(), toy_of("merry"));
}

TEST_F(RecordFields, AnOlderRowIsReadWithTheDefaultOfAnAddedField) {
    save(old_toy());
    migrate_toy();
    EXPECT_EQ(read<Toy>(), toy_of("calm"));
}

TEST_F(RecordFields, TheDigestOfAnOlderRowIsThatOfTheSameRecordWithTheDefault) {
    EXPECT_EQ(to_row(toy_of("calm")).front(), to_row(old_toy()).front());
    EXPECT_NE(to_row(toy_of("merry")).front(), to_row(old_toy()).front());
}

TEST_F(RecordFields, AChangedCellMakesTheDigestWrong) {
    for (const char* change : {"name = 'b'", "count = 8", "time_ns = 0.2", "done = 0",
                               "verdict = 'timed'", "image = x'00'", "samples_ns = x''",
                               "symbols = 'first'", "driver = ''", "mood = 'calm'"}) {
        migrate_toy();
        save(toy_of("merry"));
        database_.execute(std::string("UPDATE toy SET ") + change);
        EXPECT_EQ(read<Toy>(), std::nullopt) << change;
        database_.execute("DELETE FROM toy; ALTER TABLE toy DROP COLUMN mood");
    }
}

TEST_F(RecordFields, ACellOfAnotherTypeIsRefusedEvenWithTheRightDigest) {
    const sqlite::Row good = to_row(toy_of("merry"));
    for (std::size_t i = 1; i < good.size(); ++i) {
        sqlite::Row bad = good;
        bad[i] = std::monostate{};
        bad.front() = digest_of(table_of<Toy>(), bad);
        EXPECT_EQ(from_row<Toy>(bad), std::nullopt) << table_of<Toy>().columns[i];
    }
    EXPECT_EQ(from_row<Toy>(sqlite::Row(good.begin(), good.end() - 1)), std::nullopt);
}

TEST_F(RecordFields, ATimeThatIsNoneIsRefusedEvenWithTheRightDigest) {
    const auto with = [](std::string_view column, sqlite::Cell cell) {
        const auto& columns = table_of<Toy>().columns;
        sqlite::Row row = to_row(toy_of("merry"));
        row.at(static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) -
                                        columns.begin())) = std::move(cell);
        row.front() = digest_of(table_of<Toy>(), row);
        return row;
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double time : {0.0, -1.0, kInfinity, -kInfinity, std::nan("")}) {
        const std::array samples{2.0, time};
        const std::string bytes(reinterpret_cast<const char*>(samples.data()), sizeof samples);
        EXPECT_EQ(from_row<Toy>(with("samples_ns", sqlite::Blob{bytes})), std::nullopt) << time;
        EXPECT_EQ(from_row<Toy>(with("time_ns", time)), std::nullopt) << time;
    }
    EXPECT_EQ(from_row<Toy>(with("samples_ns", sqlite::Blob{"1234567"})), std::nullopt);
    EXPECT_NE(from_row<Toy>(with("time_ns", 2.0)), std::nullopt);
}

TEST_F(RecordFields, AValueThatAColumnCannotHoldIsNamed) {
    const auto refused = [](const char* name, auto change) {
        Toy toy = toy_of("merry");
        change(toy);
        expect_error(ErrorKind::store, name, [&] { to_row(toy); });
    };
    refused("time_ns = 0", [](Toy& toy) { toy.time_ns = 0; });
    refused("time_ns", [](Toy& toy) { toy.time_ns = std::numeric_limits<double>::quiet_NaN(); });
    refused("samples_ns[1]", [](Toy& toy) { toy.samples_ns[1] = -1; });
    refused("symbols", [](Toy& toy) { toy.symbols = {"a\nb"}; });
    refused("symbols", [](Toy& toy) { toy.symbols = {""}; });
}

TEST_F(RecordFields, AMessageHoldsEveryField) {
    Message message;
    MessageWriter writer(message);
    write_record(writer, toy_of("merry"));
    MessageReader reader(message);
    EXPECT_EQ(read_record<Toy>(reader), toy_of("merry"));
}

TEST_F(RecordFields, AMessageWithAnUnknownVerdictIsRefused) {
    Message message;
    MessageWriter(message).text("won");
    MessageReader reader(message);
    expect_error(ErrorKind::unavailable, "unknown verdict \"won\"", [&] { read_verdict(reader); });
}

/// The tables of the newest schema.
class RecordColumns : public testing::Test {
protected:
    RecordColumns() { prepare_schema(database_, sqlite::Connection::Mode::memory); }

    /// Without the columns that follow from others, which records do not have.
    template <class Record>
    void expect_columns_are_fields() {
        const RecordTable& table = table_of<Record>();
        sqlite::Statement statement(
            database_, fmt::format("SELECT name FROM pragma_table_info('{}')", table.name));
        std::vector<std::string> columns;
        for (sqlite::Cursor cursor = statement.run(); cursor.next();) {
            const auto name = std::get<std::string>(cursor.row().at(0));
            if (std::find(table.columns.begin(), table.columns.end(), name) !=
                table.columns.end()) {
                columns.push_back(name);
            }
        }
        EXPECT_EQ(columns, std::vector<std::string>(table.columns.begin(), table.columns.end()));
    }

    /// The default of each added column in the schema is the value that the digest leaves out.
    template <class Record>
    void expect_defaults_of_added_fields() {
        const RecordTable& table = table_of<Record>();
        sqlite::Row defaults;
        for (std::size_t i = table.columns.size() - table.added.size(); i < table.columns.size();
             ++i) {
            sqlite::Statement statement(
                database_,
                fmt::format("SELECT dflt_value FROM pragma_table_info('{}') WHERE name = '{}'",
                            table.name, table.columns[i]));
            sqlite::Cursor cursor = statement.run();
            ASSERT_TRUE(cursor.next());
            const auto literal = std::get<std::string>(cursor.row().at(0));
            sqlite::Statement value(database_, "SELECT " + literal);
            sqlite::Cursor answer = value.run();
            ASSERT_TRUE(answer.next());
            defaults.push_back(answer.row().at(0));
        }
        EXPECT_EQ(defaults, table.added);
    }

    sqlite::Connection database_{"", sqlite::Connection::Mode::memory};
};

TEST_F(RecordColumns, AreTheFieldsOfTheRecordsInTheirOrder) {
    expect_columns_are_fields<Winner>();
    expect_columns_are_fields<Measurement>();
}

TEST_F(RecordColumns, ThatWereAddedHaveTheDefaultsOfTheRecords) {
    expect_defaults_of_added_fields<Winner>();
    expect_defaults_of_added_fields<Measurement>();
}

}  // namespace
}  // namespace jitune::internal
