// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "fuzz/fuzz_target.hpp"
#include "measure/conditions.hpp"
#include "tuner_db/winners/record_row.hpp"

using namespace jitune::internal;

namespace {

/// A byte for the type, then the value.
sqlite::Cell take_cell(FuzzInput& input) {
    switch (input.number<std::uint8_t>() % 5) {
        case 0:
            return std::monostate{};
        case 1:
            return input.number<std::int64_t>();
        case 2:
            return input.number<double>();
        case 3:
            return std::string(input.text());
        default:
            return sqlite::Blob{std::string(input.text())};
    }
}

const std::string& conditions_of(const Measurement& measurement) {
    return measurement.conditions;
}

const std::string& conditions_of(const Winner& winner) {
    return winner.certainty.conditions;
}

/// Reads a row of a record's table that the digest agrees with.
template <class Record>
void read_row(FuzzInput& input) {
    const RecordTable& table = table_of<Record>();
    sqlite::Row row(1);
    while (row.size() < table.columns.size()) {
        row.push_back(take_cell(input));
    }
    row.front() = digest_of(table, row);
    const auto record = from_row<Record>(row);
    if (!record) {
        return;
    }
    const Conditions conditions = Conditions::parse(conditions_of(*record));
    promise(Conditions::parse(conditions.text()) == conditions, "conditions keep their meaning");
    answers_or_refuses([&] {
        promise(from_row<Record>(to_row(*record)) == record, "a row is read as it was written");
    });
}

}  // namespace

/// The first byte names the table.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzInput input(data, size);
    const bool is_winner = input.number<std::uint8_t>() % 2 == 0;
    answers_or_refuses([&] { is_winner ? read_row<Winner>(input) : read_row<Measurement>(input); });
    return 0;
}
