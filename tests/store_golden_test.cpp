#include <fmt/format.h>

#include "store_fixture.hpp"

namespace jitune {
namespace {

// A stored format is a promise. When this test fails, the format has changed: raise user_version,
// add a migration, keep this golden file and its second test, and add a golden file for the new
// version.
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

    static std::string golden() {
        std::ifstream file(JITUNE_GOLDEN_DIR "/store_v1.sql");
        return {std::istreambuf_iterator<char>(file), {}};
    }

    /// What `query` answers, one value to a line.
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

    /// The one row of a table as the SQL that makes it.
    std::string insert_sql(const std::string& table) {
        const std::string columns = answer(
            fmt::format("SELECT group_concat('quote(' || name || ')', ' || '','' || char(10) "
                        "|| ') FROM pragma_table_info('{}')",
                        table));
        return fmt::format("INSERT INTO {} VALUES(\n{});\n", table,
                           answer(fmt::format("SELECT {} FROM {}", columns, table)));
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
               insert_sql("measurement") + insert_sql("winner");
    }
};

TEST_F(GoldenStore, IsWhatIsWrittenToday) {
    const std::vector<Measurement> one{measurement_of(40)};
    open()->save(one, winner());
    EXPECT_EQ(dump(), golden());
}

TEST_F(GoldenStore, IsReadToday) {
    sql(golden());
    const auto store = open();
    EXPECT_EQ(store->find(key_of(40)), winner());
    EXPECT_EQ(store->measurements(key_of(40)), std::vector<Measurement>{measurement_of(40)});
    EXPECT_EQ(store->bad_rows(), 0);
}

}  // namespace
}  // namespace jitune
