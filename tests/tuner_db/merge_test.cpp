// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"
#include "support/utc_text.hpp"
#include "tuner_db/precedence.hpp"
#include "tuner_db/record_row.hpp"

namespace jitune::internal {
namespace {

const MergeOptions kTrusting{.trust_code = true};

class MergeTest : public StoreFixture {
protected:
    std::filesystem::path file(const std::string& name) { return dir_.path() / (name + ".db"); }

    std::unique_ptr<TuningStore> store(const std::string& name) {
        return TuningStore::open(file(name), Access::read_write, log_);
    }

    MergeReport merge(const std::string& into, const std::string& other,
                      const MergeOptions& options) {
        return store(into)->merge(*TuningStore::open_other(file(other), log_), options);
    }

    /// A new database that holds `into` and then all of `others`.
    void make(const std::string& name, const std::vector<std::string>& others,
              const MergeOptions& options = kTrusting) {
        for (const std::string& other : others) {
            merge(name, other, options);
        }
    }

    /// All measurements and winners, byte by byte, whatever the order of the rows.
    std::set<std::string> dump(const std::string& name) {
        store(name);  // migrates it
        std::set<std::string> rows;
        sqlite3* raw = nullptr;
        EXPECT_EQ(sqlite3_open(file(name).c_str(), &raw), SQLITE_OK);
        const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(raw, sqlite3_close);
        const auto append = [](void* out, int count, char** values, char**) {
            std::string row;
            for (int i = 0; i < count; ++i) {
                row += values[i] + std::string("|");
            }
            static_cast<std::set<std::string>*>(out)->insert(row);
            return 0;
        };
        for (const char* query :
             {"SELECT 'measurement', hex(digest), configuration, verdict FROM measurement",
              "SELECT 'winner', hex(digest), sizes, covers, configuration, unsure FROM winner"}) {
            EXPECT_EQ(sqlite3_exec(raw, query, append, &rows, nullptr), SQLITE_OK);
        }
        return rows;
    }

    /// The configuration that serves a size, or "".
    std::string serving(const std::string& name, std::int64_t n) {
        const auto winner = store(name)->find(key_of(40), Sizes{n});
        return winner ? winner->configuration : "";
    }
};

Winner winner_at(const std::string& configuration, const std::string& covers,
                 const std::string& device = "NVIDIA H200", int second = 0) {
    Winner winner = winner_of(40);
    winner.sizes = "n=100";
    winner.range.covers = covers;
    winner.configuration = configuration;
    winner.provenance.device_name = device;
    winner.provenance.created_at = fmt::format("2026-11-20T16:00:{:02}Z", second);
    return winner;
}

Winner faster(Winner winner, double low, double high) {
    winner.certainty = {"l2=cold", 0.01, low, high};
    return winner;
}

TEST_F(MergeTest, UnitesMeasurementsAndWinners) {
    const std::vector<Measurement> both{measurement_of(40), measurement_of(40, 7)};
    store("a")->save({both.data(), 1}, winner_of(40));
    store("b")->save(both, winner_of(41));
    const MergeReport report = merge("a", "b", kTrusting);
    EXPECT_EQ(report.number, 1);
    EXPECT_EQ(report.measurements, 1);
    EXPECT_EQ(report.winners, 1);
    EXPECT_EQ(report.known, 1);
    EXPECT_EQ(store("a")->find(key_of(41), sizes_of(41)), winner_of(41));
    EXPECT_EQ(store("a")->measurements(key_of(40)).size(), 2U);
    EXPECT_TRUE(store("a")->verify().problems.empty());
    const std::vector<Merge> merges = store("a")->merges();
    ASSERT_EQ(merges.size(), 1U);
    EXPECT_EQ(merges[0].source, "b.db");
    EXPECT_TRUE(merges[0].code_trusted);
}

TEST_F(MergeTest, WithoutTrustBringsNoCodeAndServesNothing) {
    store("b")->save({}, winner_of(40));
    const MergeReport report = merge("a", "b", {});
    EXPECT_EQ(report.without_code, 1);
    EXPECT_EQ(store("a")->find(key_of(40), sizes_of(40)), std::nullopt);
    const auto incumbent = store("a")->incumbent(key_of(40), sizes_of(40));
    ASSERT_TRUE(incumbent);
    EXPECT_EQ(incumbent->configuration, winner_of(40).configuration) << "to be raced here";
    EXPECT_TRUE(incumbent->image.empty());
    EXPECT_EQ(incumbent->provenance, winner_of(40).provenance);
    EXPECT_TRUE(store("a")->verify().problems.empty());
    store("a")->save({}, winner_of(40));
    EXPECT_EQ(store("a")->winners().size(), 1U) << "the raced winner takes its place";
}

TEST_F(MergeTest, WithoutTrustLeavesOwnWinnersServing) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    store("b")->save({}, winner_at("block=2", "n=50..300", "NVIDIA H200", 30));
    store("c")->save({}, winner_at("block=3", "n=50..300", "NVIDIA H100", 30));
    make("a", {"b", "c"}, {});
    EXPECT_EQ(serving("a", 100), "block=1");
    EXPECT_EQ(serving("a", 250), "");
}

TEST_F(MergeTest, LetsTheYoungerWinnerOfOnePlaceServe) {
    store("a")->save({}, faster(winner_at("block=1", "n=1..200"), 1.9, 2.1));
    store("b")->save({}, faster(winner_at("block=2", "n=150..300", "NVIDIA H200", 9), 1.4, 1.6));
    make("a", {"b"});
    EXPECT_EQ(serving("a", 149), "block=1");
    EXPECT_EQ(serving("a", 150), "block=2") << "it has raced the older one, or its time is newer";
}

TEST_F(MergeTest, LetsTheSurelyFasterWinnerOfSeveralPlacesServe) {
    store("a")->save({}, faster(winner_at("block=1", "n=1..200"), 1.48, 1.52));
    store("b")->save({}, faster(winner_at("block=2", "n=1..200", "other", 9), 1.2, 1.9));
    store("c")->save({}, faster(winner_at("block=3", "n=1..200", "third", 5), 1.485, 1.49));
    const MergeReport report = merge("a", "b", kTrusting);
    EXPECT_EQ(serving("a", 100), "block=1");
    ASSERT_EQ(report.meetings.size(), 1U);
    EXPECT_FALSE(report.meetings[0].first_is_new);
    EXPECT_FALSE(report.meetings[0].disagree);
    EXPECT_EQ(report.meetings[0].reason, "at least 1.48 times the default's speed, the other 1.20");
    make("a", {"c"});
    EXPECT_EQ(serving("a", 100), "block=3") << "within 2 %, the younger";
    EXPECT_EQ(store("a")->winners().size(), 3U) << "the others stay, as evidence";
}

TEST_F(MergeTest, TellsWhereIntervalsContradictEachOther) {
    store("a")->save({}, faster(winner_at("block=1", ""), 1.48, 1.52));
    store("b")->save({}, faster(winner_at("block=2", "", "other"), 1.1, 1.2));
    const MergeReport report = merge("a", "b", {.trust_code = true, .dry_run = true});
    ASSERT_EQ(report.meetings.size(), 1U);
    EXPECT_TRUE(report.meetings[0].disagree);
    EXPECT_EQ(store("a")->winners().size(), 1U) << "a dry run";
    EXPECT_TRUE(store("a")->merges().empty());
}

TEST_F(MergeTest, BringsNothingASecondTimeEvenWhereATuningHasTakenIt) {
    store("b")->save({}, faster(winner_at("block=2", "n=1..200", "other"), 1.9, 2));
    make("a", {"b"});
    store("a")->save({}, faster(winner_at("block=1", "n=50..60"), 1.1, 1.2));
    EXPECT_EQ(serving("a", 55), "block=1") << "raced here";
    const auto before = dump("a");
    EXPECT_EQ(merge("a", "b", kTrusting).number, 0);
    EXPECT_EQ(dump("a"), before);
    EXPECT_EQ(serving("a", 55), "block=1");
}

TEST_F(MergeTest, BringsWrongResultsThatRefuteWinners) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    std::vector<Measurement> wrong{measurement_of(40)};
    wrong[0].configuration = "block=1";
    wrong[0].verdict = Verdict::wrong_result;
    wrong[0].samples_ns.clear();
    store("b")->save(wrong);
    make("a", {"b"});
    EXPECT_EQ(serving("a", 100), "");
    EXPECT_TRUE(store("a")->winners().empty());
    store("a")->undo_merge();
    EXPECT_EQ(serving("a", 100), "block=1");
}

TEST_F(MergeTest, KeepsPinnedWinners) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    store("a")->pin(winner_id(winner_at("block=1", "")), true);
    store("b")->save({}, faster(winner_at("block=2", "n=1..200", "NVIDIA H200", 9), 3, 4));
    make("a", {"b"});
    EXPECT_EQ(serving("a", 100), "block=1");
    store("a")->save({}, winner_at("block=3", "n=1..300", "NVIDIA H200", 50));
    EXPECT_EQ(serving("a", 100), "block=1") << "a tuning does not replace it";
    EXPECT_EQ(serving("a", 250), "block=3");
    store("a")->pin(winner_id(winner_at("block=1", "")), false);
    store("a")->save({}, winner_at("block=3", "n=1..300", "NVIDIA H200", 51));
    EXPECT_EQ(serving("a", 100), "block=3");
}

TEST_F(MergeTest, LeavesOutDamagedRows) {
    store("b")->save({}, winner_of(40));
    store("b")->save({}, winner_of(41));
    const std::vector<Measurement> one{measurement_of(40)};
    store("b")->save(one);
    path_ = file("b");
    sql("UPDATE winner SET median_ns = 1 WHERE sizes = 'n=1048576'; "
        "UPDATE measurement SET sizes = 'n=1'");
    const MergeReport report = merge("a", "b", kTrusting);
    EXPECT_EQ(report.damaged, 2);
    EXPECT_EQ(report.winners, 1);
    EXPECT_EQ(report.measurements, 0);
}

TEST_F(MergeTest, RefusesWhatIsNoOtherTuningDatabase) {
    store("a");
    const auto error = [&](const std::filesystem::path& path) {
        return store_error([&] { store("a")->merge(*TuningStore::open_other(path, log_), {}); });
    };
    EXPECT_NE(error(file("a")).find("into itself"), std::string::npos);
    EXPECT_NE(error(file("none")).find("No such file"), std::string::npos);
    EXPECT_NE(error(dir_.path()).find("not a regular file"), std::string::npos);
    path_ = file("text");
    write(
        "no database at all, but a text that is longer than a header of SQLite is, by far: "
        "one hundred bytes");
    EXPECT_NE(error(path_), "");
    path_ = file("other");
    sql("CREATE TABLE t(a)");
    EXPECT_NE(error(path_).find("belongs to another application"), std::string::npos);
    store("newer");
    path_ = file("newer");
    sql("PRAGMA user_version = 999");
    EXPECT_NE(error(path_).find("use a newer jitune"), std::string::npos);
}

TEST_F(MergeTest, UndoBringsBackWhatWasThere) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    const std::vector<Measurement> one{measurement_of(40)};
    store("b")->save(one, winner_at("block=2", "n=150..300", "NVIDIA H200", 9));
    const auto before = dump("a");
    make("a", {"b"});
    EXPECT_NE(dump("a"), before);
    const auto merged = dump("a");
    const UndoReport report = store("a")->undo_merge();
    EXPECT_EQ(report.source, "b.db");
    EXPECT_EQ(report.measurements, 1);
    EXPECT_EQ(dump("a"), before);
    EXPECT_TRUE(store("a")->merges().empty());
    EXPECT_EQ(store("a")->undo_merge().source, "") << "nothing is left to undo";
    make("a", {"b"});
    EXPECT_EQ(dump("a"), merged) << "it can be merged again";
}

TEST_F(MergeTest, UndoRestoresWhatAWinnerOfTheSameSecondOrOfTheFutureHasTaken) {
    for (const char* made : {"now", "2999-01-01T00:00:00Z"}) {
        SCOPED_TRACE(made);
        std::filesystem::remove(file("a"));
        std::filesystem::remove(file("b"));
        store("a")->save({}, winner_at("block=1", "n=1..200"));
        store("a")->save({}, winner_at("block=7", "n=300..400"));
        Winner young = winner_at("block=2", "n=1..400");
        young.provenance.created_at = made == std::string("now") ? utc_text() : made;
        store("b")->save({}, young);
        const auto before = dump("a");
        make("a", {"b"});
        EXPECT_EQ(serving("a", 100), "block=2");
        store("a")->undo_merge();
        EXPECT_EQ(dump("a"), before);
    }
}

TEST_F(MergeTest, UndoRestoresEachOfSeveralRowsOfOneWinner) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    path_ = file("a");
    {
        Winner twin = winner_at("block=1", "n=300..400");
        sqlite::Connection connection(path_, sqlite::Connection::Mode::read_write);
        sqlite::Statement(connection, insert("INSERT", table_of<Winner>())).execute(to_row(twin));
    }
    store("b")->save({}, winner_at("block=2", "n=1..400", "NVIDIA H200", 9));
    const auto before = dump("a");
    make("a", {"b"});
    store("a")->undo_merge();
    EXPECT_EQ(dump("a"), before);
}

TEST_F(MergeTest, BringsLaterWhatAPinHasKeptOut) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    store("a")->pin(winner_id(winner_at("block=1", "")), true);
    store("b")->save({}, winner_at("block=2", "n=1..200", "NVIDIA H200", 9));
    make("a", {"b"});
    EXPECT_EQ(serving("a", 100), "block=1");
    EXPECT_TRUE(store("a")->merged_winners().empty()) << "a merge without news leaves no trace";
    store("a")->pin(winner_id(winner_at("block=1", "")), false);
    make("a", {"b"});
    EXPECT_EQ(serving("a", 100), "block=2");
}

TEST_F(MergeTest, WhatRefutesAWinnerStaysAsLongAsTheWinner) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    store("a")->save({}, winner_at("block=2", "n=300..400"));
    std::vector<Measurement> wrong{measurement_of(40), measurement_of(40)};
    wrong[0].configuration = "block=1";
    wrong[0].verdict = Verdict::wrong_result;
    wrong[0].samples_ns.clear();
    store("a")->save(wrong);
    const std::vector<Winner> winners = store("a")->winners();
    ASSERT_EQ(winners.size(), 1U);
    store("a")->remove(winners, true);
    EXPECT_EQ(serving("a", 100), "");
    EXPECT_EQ(store("a")->measurements(key_of(40)).size(), 1U);
    PruneRules rules;
    rules.is_dead = [](const RecordKey&) { return true; };
    EXPECT_EQ(store("a")->prune(rules).winners, 1);
    rules.is_dead = [](const RecordKey&) { return true; };
    store("a")->prune(rules);
    EXPECT_TRUE(store("a")->measurements(key_of(40)).empty());
}

TEST_F(MergeTest, UndoTakesBackTheLastMergeAlone) {
    store("b")->save({}, winner_of(41));
    store("c")->save({}, winner_of(42));
    make("a", {"b"});
    const auto before = dump("a");
    make("a", {"c", "c", "b"});
    EXPECT_EQ(store("a")->undo_merge().source, "c.db") << "repetitions are no merges";
    EXPECT_EQ(dump("a"), before);
    EXPECT_EQ(store("a")->undo_merge().source, "") << "only the last one can be taken back";
}

TEST_F(MergeTest, UndoTakesNothingFromLaterTunings) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    store("b")->save({}, winner_at("block=2", "n=100..300", "NVIDIA H200", 9));
    make("a", {"b"});
    Winner later = winner_at("block=3", "n=150..160");
    later.provenance.created_at = "2999-01-01T00:00:00Z";
    store("a")->save({}, later);
    store("a")->undo_merge();
    EXPECT_EQ(serving("a", 155), "block=3");
    EXPECT_EQ(serving("a", 120), "block=1");
    EXPECT_EQ(serving("a", 250), "");
    EXPECT_TRUE(store("a")->verify().problems.empty());
}

/// Databases of random rows, which overlap, contradict each other and refute each other.
class RandomMerges : public MergeTest, public testing::WithParamInterface<int> {
protected:
    std::int64_t draw(std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(0, most - 1)(random_);
    }
    template <class... Values>
    auto one_of(Values... values) {
        const std::array all{values...};
        return all.at(static_cast<std::size_t>(draw(std::ssize(all))));
    }

    std::string box() {
        const std::int64_t from = 1 + draw(30);
        const std::int64_t row = 1 + draw(5);
        return fmt::format("rows={}..{} columns={}..{}", from, from + draw(10), row, row + draw(4));
    }

    Winner random_winner() {
        Winner winner = winner_at(fmt::format("block={}", 32 << draw(3)), "",
                                  one_of("NVIDIA H200", "other"), static_cast<int>(draw(4)));
        winner.key.types = one_of("element=float32", "element=int32");
        winner.sizes = one_of("rows=4 columns=4", "rows=8 columns=2");
        winner.range.covers = one_of(box(), box() + "; rows=50 columns=1", std::string());
        winner.range.unsure = draw(5) == 0;
        const double low = 1 + static_cast<double>(draw(4)) / 10;
        winner.certainty = {one_of("l2=cold", "cpu=contended"), 0.01, low, low + 0.2};
        return winner;
    }

    void fill(const std::string& name) {
        const auto into = store(name);
        for (std::int64_t i = draw(8); i >= 0; --i) {
            Winner winner = random_winner();
            into->save({}, winner);
        }
        for (std::int64_t i = draw(4); i > 0; --i) {
            std::vector<Measurement> one{measurement_of(40, static_cast<double>(1 + draw(3)))};
            if (draw(4) == 0) {
                one[0].key = random_winner().key;
                one[0].configuration = random_winner().configuration;
                one[0].verdict = Verdict::wrong_result;
                one[0].samples_ns.clear();
            }
            into->save(one);
        }
        path_ = file(name);
        if (draw(3) == 0) {
            sql("UPDATE winner SET noise = 0.5 WHERE rowid = 2");
        }
    }

    /// Of an older version: its golden row, and what a later jitune has added to a copy.
    void fill_older(const std::string& name) {
        path_ = file(name);
        std::ifstream golden(fmt::format(JITUNE_GOLDEN_DIR "/store_v{}.sql", 1 + draw(7)));
        sql({std::istreambuf_iterator<char>(golden), {}});
    }

    std::mt19937_64 random_{static_cast<std::uint64_t>(GetParam())};
};

TEST_P(RandomMerges, GiveTheSameTableInAnyOrderAndRepetition) {
    const MergeOptions options{.trust_code = draw(3) != 0};
    for (const char* name : {"a", "b", "c"}) {
        if (draw(4) == 0) {
            fill_older(name);
        } else {
            fill(name);
        }
    }
    make("abc", {"a", "b", "c"}, options);
    const auto expected = dump("abc");
    make("cba", {"c", "b", "a"}, options);
    EXPECT_EQ(dump("cba"), expected) << "another order";
    make("bca", {"b", "b", "c", "b", "a", "c", "a"}, options);
    EXPECT_EQ(dump("bca"), expected) << "repetitions";
    make("ab", {"a", "b"}, options);
    make("ab_c", {"ab", "c"}, options);
    EXPECT_EQ(dump("ab_c"), expected) << "(a + b) + c";
    make("bc", {"b", "c"}, options);
    make("a_bc", {"a", "bc"}, options);
    EXPECT_EQ(dump("a_bc"), expected) << "a + (b + c)";
    make("bc_a", {"bc", "a", "abc"}, options);
    EXPECT_EQ(dump("bc_a"), expected) << "a part of it again";
    const auto store_of_all = store("abc");
    EXPECT_TRUE(store_of_all->verify().problems.empty());
    for (std::int64_t rows = 1; rows < 45; rows += 3) {
        RecordKey key = key_of(40);
        key.types = "element=float32";
        EXPECT_EQ(store_of_all->find(key, Sizes{rows, 2}),
                  store("a_bc")->find(key, Sizes{rows, 2}));
    }
    merge("bc", "a", options);
    if (store("bc")->undo_merge().source == "a.db") {
        make("bc2", {"b", "c"}, options);
        EXPECT_EQ(dump("bc"), dump("bc2")) << "undone";
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMerges, testing::Range(1, 13));

}  // namespace
}  // namespace jitune::internal
