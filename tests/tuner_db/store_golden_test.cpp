// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"
#include "tuner_db/file/schema.hpp"

namespace jitune::internal {
namespace {

// A stored format is a promise. When the first test fails, the format has changed: add
// schema_<version>.sql and a golden file for the new version, and keep the older golden files.
class GoldenStore : public StoreFixture {
protected:
    static Winner winner() {
        Winner winner = winner_of(40);
        winner.image = std::string(
            "\x7f"
            "ELF\0",
            5);
        return winner;
    }
    static Winner exact_winner() {
        Winner exact = winner();
        exact.reproducibility = "exact";
        return exact;
    }
    static Winner certain_winner() {
        Winner certain = exact_winner();
        certain.certainty = {"l2=cold chain=32 clocks=steady", 0.0015, 1.5, 1.75};
        return certain;
    }
    static Winner ranged_winner() {
        Winner ranged = certain_winner();
        ranged.range = {"n=900000..1200000; n=1300001", 1.02, 59, false};
        return ranged;
    }
    static std::vector<Measurement> measurements() { return {measurement_of(40)}; }
    static std::vector<Measurement> any_measurements() {
        std::vector<Measurement> any = measurements();
        any[0].reproducibility = "any";
        return any;
    }

    static std::vector<Measurement> figured_measurements() {
        std::vector<Measurement> figured = any_measurements();
        figured[0].figures = R"({"energy_j":0.5,"power_w":250})";
        return figured;
    }

    static std::vector<CallRecord> misses() {
        return {{key_of(40), "n=2000000", "block=128 items_per_thread=4", "default", "", 12, 3,
                 "NVIDIA H200", "2026-11-20T16:00:00Z", "2026-11-21T16:00:00Z",
                 std::string("a\0spec", 6)}};
    }

    static std::vector<CallRecord> uses() {
        return {{key_of(40), "n=1048576", "block=256 items_per_thread=8", "stored",
                 "2026-11-20T16:00:00Z", 1200, 2, "NVIDIA H200", "2026-11-21T16:00:00Z",
                 "2026-11-22T16:00:00Z"}};
    }

    static std::vector<Pause> pauses() {
        return {{"reduce", "element=float32 operation=sum", "NVIDIA H200", "default", 3, 291'000,
                 "n=1000", "2026-11-20T16:00:00Z", "2026-11-21T16:00:00Z"}};
    }

    static std::vector<Doubt> doubts() {
        const Winner about = ranged_winner();
        return {{about.key, about.sizes, about.configuration, about.provenance.created_at,
                 Doubt::kSlow, "n=1000000", std::string("a\0spec", 6), 2500, 1300.5, "CUDA 13.0",
                 "NVIDIA H200", 2, "2026-11-21T16:00:00Z", "2026-11-22T16:00:00Z"}};
    }

    static std::vector<KeptBinary> binaries() {
        return {{"reduce",
                 "element=float32 operation=sum",
                 "block=256 items_per_thread=8",
                 "0123456789abcdef0123456789abcdef",
                 "cuda cc=90 sm=132",
                 "fedcba9876543210fedcba9876543210",
                 "NVRTC 13.0",
                 "cubin",
                 {"jitune::reduce<256, 8>", "jitune::finish<256>"},
                 "2026-11-20T16:00:00Z",
                 winner().image}};
    }

    static std::string golden(const std::string& name) {
        std::ifstream file(JITUNE_GOLDEN_DIR "/" + name);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    static std::string golden_of(std::int64_t version) {
        return golden(fmt::format("store_v{}.sql", version));
    }

    /// The answer to `query`, one value to a line.
    std::string answer(const std::string& query) {
        sqlite3* raw = nullptr;
        EXPECT_EQ(sqlite3_open(path_.c_str(), &raw), SQLITE_OK);
        const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
        std::string text;
        const auto append = [](void* out, int, char** values, char**) {
            *static_cast<std::string*>(out) += values[0] + std::string("\n");
            return 0;
        };
        EXPECT_EQ(sqlite3_exec(raw, query.c_str(), append, &text, nullptr), SQLITE_OK)
            << sqlite3_errmsg(raw);
        return text;
    }

    /// The one row of a table, or the one of some of its rows, as the SQL that makes it.
    std::string insert_sql(const std::string& table, const std::string& which = "TRUE") {
        const std::string columns = answer(
            fmt::format("SELECT group_concat('quote(' || name || ')', ' || '','' || char(10) "
                        "|| ') FROM pragma_table_info('{}')",
                        table));
        return fmt::format(
            "INSERT INTO {} VALUES(\n{});\n", table,
            answer(fmt::format("SELECT {} FROM {} WHERE {}", columns, table, which)));
    }

    /// The database as the SQL that makes it.
    std::string dump() {
        return answer(
                   "SELECT 'PRAGMA application_id = ' || application_id || ';' FROM "
                   "pragma_application_id") +
               answer(
                   "SELECT 'PRAGMA user_version = ' || user_version || ';' FROM "
                   "pragma_user_version") +
               answer("SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL") +
               insert_sql("measurement") + insert_sql("winner") +
               insert_sql("call", CallRecord::kIsMiss) + insert_sql("call", CallRecord::kIsUse) +
               insert_sql("pause") + insert_sql("doubt") + insert_sql("binary");
    }
};

TEST_F(GoldenStore, IsWhatIsWrittenToday) {
    open()->save(figured_measurements(), ranged_winner());
    open()->calls().add({misses(), pauses(), doubts()});
    open()->calls().add({uses()});
    open()->keep(binaries());
    // From SQLite 3.43 on, quote() writes more digits than a double has.
    const std::regex digits("([0-9]\\.[0-9]{15})[0-9]+e");
    const auto shortened = [&](const std::string& text) {
        return std::regex_replace(text, digits, "$1e");
    };
    EXPECT_EQ(shortened(dump()), shortened(golden_of(schema_version())));
}

TEST_F(GoldenStore, IsReadToday) {
    sql(golden_of(schema_version()));
    const auto store = open(Access::read_only);
    EXPECT_EQ(store->find(key_of(40), sizes_of(40)), ranged_winner());
    EXPECT_EQ(store->measurements().of(key_of(40)), figured_measurements());
    EXPECT_EQ(store->calls().misses(), misses());
    EXPECT_EQ(store->calls().uses(), uses());
    EXPECT_EQ(store->calls().pauses(), pauses());
    EXPECT_EQ(store->calls().doubts(), doubts());
    EXPECT_EQ(store->binaries(binaries()[0]), binaries());
    EXPECT_EQ(store->bad_rows(), 0);
}

TEST_F(GoldenStore, HasViewsForPeople) {
    sql(golden_of(schema_version()));
    EXPECT_EQ(
        answer(
            "SELECT sizes || ' | ' || configuration || ' | ' || round(time_us, 1) || ' us | ' || "
            "speed_up || ' | ' || speed_up_low || ' | ' || loss_percent || ' % | ' || "
            "held_out_sizes || ' | ' || unsure || ' | ' || has_code || ' | ' || "
            "(age_days IS NOT NULL) || ' | ' || calls || ' | ' || device FROM winners"),
        "n=900000..1200000; n=1300001 | block=256 items_per_thread=8 | 1.2 us | 1.62 | 1.5 | "
        "2.0 % | 59 | no | yes | 1 | 1200 | NVIDIA H200\n");
    EXPECT_EQ(answer("SELECT configuration || ' | ' || verdict || ' | ' || time_us || ' us | ' || "
                     "noise_percent || ' % | ' || samples || ' | ' || energy_j FROM candidates"),
              "block=128 items_per_thread=4 | timed | 1.0 us | 0.05 % | 3 | 0.5\n");
    EXPECT_EQ(answer("SELECT winners || ' | ' || configurations || ' | ' || unsure || ' | ' || "
                     "worst_loss_percent || ' % | ' || served FROM coverage"),
              "1 | 1 | 0 | 2.0 % | n=900000..1200000; n=1300001\n");
}

TEST_F(GoldenStore, IsSound) {
    sql(golden_of(schema_version()));
    const auto store = open();
    EXPECT_EQ(store->status().schema_version, schema_version());
    const TuningStore::Check check = store->verify();
    EXPECT_EQ(check.problems, std::vector<std::string>{});
    EXPECT_EQ(check.winners, 1);
    EXPECT_EQ(check.measurements, 1);
}

TEST_F(GoldenStore, RefusesAWinnerWithADamagedCertainty) {
    for (const char* damage : {"speed_up_high = 9", "uncertainty = 0.0", "conditions = ''",
                               "conditions = '', uncertainty = 0, speed_up_low = 0, "
                               "speed_up_high = 0"}) {
        std::filesystem::remove(path_);
        open()->save({}, certain_winner());
        sql(std::string("UPDATE winner SET ") + damage);
        EXPECT_EQ(open()->find(key_of(40), sizes_of(40)), std::nullopt) << damage;
    }
}

}  // namespace
}  // namespace jitune::internal
