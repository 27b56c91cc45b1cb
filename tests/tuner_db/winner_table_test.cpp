// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/winner_table.hpp"

#include <array>

#include "fixtures/store_fixture.hpp"
#include "tuner_db/open_store.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {
namespace {

RecordKey plain_key() {
    return key_of(40);
}

/// A winner that was tuned at `sizes` and serves `covers`.
Winner stored_range(const std::string& sizes, const std::string& covers,
                    const std::string& configuration = "block=256") {
    Winner winner = winner_of(40);
    winner.sizes = sizes;
    winner.range.covers = covers;
    winner.configuration = configuration;
    return winner;
}

Winner unsure(Winner winner) {
    winner.range.unsure = true;
    return winner;
}

Winner provisional(Winner winner) {
    winner.certainty = {"cpu=contended", 0.01, 1.4, 1.6};
    return winner;
}

class WinnerRanges : public StoreFixture {
protected:
    void save(const Winner& winner) { memory_->save({}, winner); }

    /// "where it was tuned: what it serves" of the winner for `sizes`, or "".
    std::string serving(const Sizes& sizes) {
        const auto winner = memory_->find(plain_key(), sizes);
        return winner ? winner->sizes + ": " + winner->range.covers : "";
    }
    /// Where the neighbours were tuned.
    std::vector<std::string> nearest(const Sizes& sizes, int limit = 10) {
        std::vector<std::string> found;
        for (const Winner& winner : memory_->nearest(plain_key(), sizes, limit)) {
            EXPECT_TRUE(winner.image.empty());
            found.push_back(winner.sizes);
        }
        return found;
    }
    using Texts = std::vector<std::string>;

    std::unique_ptr<TuningStore> memory_ = TuningStore::in_memory(log_);
};

TEST_F(WinnerRanges, ServeEverySizeInThem) {
    save(stored_range("n=2048", "n=1024..4096; n=8193"));
    for (const std::int64_t n : {1024, 2000, 4096, 8193}) {
        EXPECT_EQ(serving({n}), "n=2048: n=1024..4096; n=8193") << n;
    }
    for (const std::int64_t n : {1023, 4097, 8192, 8194}) {
        EXPECT_EQ(serving({n}), "") << n;
    }
    EXPECT_EQ(serving({2000, 1}), "") << "two sizes";
}

TEST_F(WinnerRanges, WithoutATextAreTheSizesOfTheRow) {
    save(stored_range("rows=16 columns=64", ""));
    EXPECT_EQ(serving({16, 64}), "rows=16 columns=64: ");
    EXPECT_EQ(serving({16, 65}), "");
}

TEST_F(WinnerRanges, ByDefaultAreNotThoseOfTheConfiguration) {
    Winner by_default = stored_range("n=2048", "n=5000..6000");
    by_default.range.by_default = true;
    save(stored_range("n=2048", "n=1024..4096"));
    save(by_default);
    EXPECT_FALSE(memory_->find(plain_key(), Sizes{2048})->range.by_default);
    EXPECT_TRUE(memory_->find(plain_key(), Sizes{5500})->range.by_default);
    EXPECT_EQ(serving({2048}), "n=2048: n=1024..4096");
    EXPECT_EQ(serving({5500}), "n=2048: n=5000..6000");
    EXPECT_NE(winner_id(*memory_->find(plain_key(), Sizes{2048})),
              winner_id(*memory_->find(plain_key(), Sizes{5500})));
}

TEST_F(WinnerRanges, ThatAreUnsureStayBesideASureOneOfTheSameSizesAndConfiguration) {
    Winner sure = stored_range("n=2048", "");
    sure.complete = true;
    save(sure);
    save(unsure(stored_range("n=2048", "n=1024..4096")));
    EXPECT_EQ(serving({2048}), "n=2048: ");
    EXPECT_EQ(serving({2049}), "");
    EXPECT_EQ(nearest({2049}).size(), 2U) << "the unsure one, then the sure one";
}

TEST_F(WinnerRanges, DoNotDependOnTheBucket) {
    save(stored_range("n=2048", "n=1..1000000"));
    RecordKey key = plain_key();
    key.bucket = 3;
    EXPECT_TRUE(memory_->find(key, Sizes{5}));
    key.alignment = 4;
    EXPECT_FALSE(memory_->find(key, Sizes{5}));
}

TEST_F(WinnerRanges, ThatAreUnsureAreOnlyIncumbents) {
    save(unsure(stored_range("n=2048", "n=1024..4096")));
    EXPECT_EQ(serving({2048}), "");
    EXPECT_TRUE(memory_->incumbent(plain_key(), Sizes{2048}));
    EXPECT_FALSE(memory_->incumbent(plain_key(), Sizes{5000}));
}

TEST_F(WinnerRanges, OfAYoungerWinnerAreTakenFromOlderOnes) {
    save(stored_range("n=100", "n=1..100", "block=32"));
    save(stored_range("n=200", "n=101..300", "block=64"));
    save(stored_range("n=90", "n=80..120", "block=128"));
    EXPECT_EQ(serving({79}), "n=100: n=1..79");
    EXPECT_EQ(serving({80}), "n=90: n=80..120");
    EXPECT_EQ(serving({121}), "n=200: n=121..300");
    save(stored_range("n=50", "n=1..200", "block=256"));
    EXPECT_EQ(serving({79}), "n=50: n=1..200");
    EXPECT_EQ(serving({201}), "n=200: n=201..300");
    EXPECT_EQ(memory_->winners().size(), 2U) << "winners that serve nothing are deleted";
    EXPECT_TRUE(memory_->verify().problems.empty());
}

TEST_F(WinnerRanges, OfShapesAreTakenPieceByPiece) {
    save(stored_range("r=8 c=8", "r=1..9 c=1..9", "block=32"));
    save(stored_range("r=5 c=5", "r=4..6 c=4..6", "block=64"));
    for (std::int64_t r = 1; r <= 9; ++r) {
        for (std::int64_t c = 1; c <= 9; ++c) {
            const bool middle = 4 <= r && r <= 6 && 4 <= c && c <= 6;
            EXPECT_EQ(serving({r, c}).substr(0, 7), middle ? "r=5 c=5" : "r=8 c=8") << r << c;
        }
    }
}

TEST_F(WinnerRanges, OfOneSaveAreTakenInItsOrder) {
    const std::vector<Winner> both{stored_range("n=5", "n=1..10", "block=32"),
                                   stored_range("n=8", "n=6..20", "block=64")};
    memory_->save({}, both);
    EXPECT_EQ(serving({5}), "n=5: n=1..5");
    EXPECT_EQ(serving({6}), "n=8: n=6..20");
}

TEST_F(WinnerRanges, OfOtherKeysAreLeftAlone) {
    save(stored_range("n=100", "n=1..100"));
    Winner other = stored_range("n=50", "n=1..200");
    other.key.types += "'";
    save(other);
    EXPECT_EQ(serving({50}), "n=100: n=1..100");
}

TEST_F(WinnerRanges, OfAWinnerThatIsTunedAgainKeepWhatItServedBefore) {
    Winner before = stored_range("n=100", "n=1..200");
    before.range.loss_bound = 1.04;
    before.range.held_out = 30;
    Winner again = stored_range("n=100", "n=50..100");
    again.range.loss_bound = 1.01;
    again.range.held_out = 5;
    save(before);
    save(again);
    const auto winner = memory_->find(plain_key(), Sizes{150});
    ASSERT_TRUE(winner);
    EXPECT_EQ(winner->range, (WinnerRange{"n=1..200", 1.04, 30, false}));
    EXPECT_EQ(memory_->winners().size(), 1U);
}

TEST_F(WinnerRanges, TheBoundOfARangeOutlivesATuningOfOneOfItsSizes) {
    Winner range = stored_range("n=100", "n=1..200");
    range.range.loss_bound = 1.04;
    range.range.held_out = 59;
    save(range);
    save(stored_range("n=100", ""));
    const auto winner = memory_->find(plain_key(), Sizes{150});
    ASSERT_TRUE(winner);
    EXPECT_EQ(winner->range, (WinnerRange{"n=1..200", 1.04, 59, false}));
}

TEST_F(WinnerRanges, OfAnUnsureWinnerTakeNothingFromSureOnesOfTheSamePlace) {
    save(stored_range("n=100", "n=50..100"));
    save(unsure(stored_range("n=8", "n=1..200")));
    EXPECT_EQ(serving({60}), "n=100: n=50..100");
    EXPECT_EQ(memory_->incumbent(plain_key(), Sizes{20})->range.covers, "n=1..49; n=101..200");
    Winner elsewhere = unsure(stored_range("n=16", "n=1..200"));
    elsewhere.provenance.driver += " newer";
    save(elsewhere);
    EXPECT_EQ(memory_->incumbent(plain_key(), Sizes{60})->sizes, "n=16");
    save(unsure(stored_range("n=100", "n=60..70")));
    EXPECT_EQ(memory_->incumbent(plain_key(), Sizes{65})->sizes, "n=100");
}

TEST_F(WinnerRanges, OfAnUnsureWinnerDoNotBecomeSureByATuningOfAPart) {
    save(unsure(stored_range("n=100", "n=1..200")));
    save(stored_range("n=100", "n=50..100"));
    EXPECT_EQ(serving({60}), "n=100: n=50..100");
    EXPECT_FALSE(memory_->incumbent(plain_key(), Sizes{150}));
}

TEST_F(WinnerRanges, OfAProvisionalWinnerTakeNothingFromSureOnes) {
    save(stored_range("n=100", "n=50..100"));
    save(provisional(stored_range("n=8", "n=1..200", "block=64")));
    EXPECT_EQ(serving({60}), "n=100: n=50..100");
    EXPECT_EQ(serving({20}), "n=8: n=1..49; n=101..200");
    save(provisional(stored_range("n=100", "n=20..100")));
    EXPECT_EQ(serving({100}), "n=100: n=50..100");
    EXPECT_EQ(memory_->find(plain_key(), Sizes{60})->certainty, Certainty{}) << "the same row";
    save(stored_range("n=8", "n=1..200", "block=128"));
    EXPECT_EQ(serving({60}), "n=8: n=1..200");
}

TEST_F(WinnerRanges, AreRefusedWhereTheirTextIsMalformed) {
    for (const char* covers : {"everything", "n=5..1", "n=0", "n=1;n=2", "a=1 b=2", "n=1..2 "}) {
        EXPECT_NE(store_error([&] { save(stored_range("n=100", covers)); }).find(covers),
                  std::string::npos);
    }
    EXPECT_NE(store_error([&] { save(stored_range("", "n=1..2")); }), "");
}

TEST_F(WinnerRanges, WithADamagedTextLoseOnlyTheirRow) {
    {
        const auto store = open();
        store->save({}, stored_range("n=100", "n=1..100", "block=32"));
        store->save({}, stored_range("n=200", "n=101..200", "block=64"));
    }
    // A row whose digest holds, so that nothing but its text is wrong.
    Winner broken = stored_range("n=100", "n=1...100", "block=32");
    sqlite::Row row = to_row(broken);
    {
        sqlite::Connection connection(path_, sqlite::Connection::Mode::read_write);
        connection.execute("DELETE FROM winner WHERE sizes = 'n=100'");
        sqlite::Statement(connection, insert("REPLACE", table_of<Winner>())).execute(row);
    }
    const auto store = open();
    EXPECT_EQ(store->verify().problems,
              std::vector<std::string>{"winner 2: wrong digest, type, sizes, times or bound"});
    EXPECT_TRUE(store->find(plain_key(), Sizes{150}));
    EXPECT_FALSE(store->find(plain_key(), Sizes{50}));
    EXPECT_TRUE(store->verify().problems.empty()) << "the row is still there";
    EXPECT_EQ(store->winners().size(), 1U);
}

TEST_F(WinnerRanges, WithABoundThatNoMeasurementGivesAreDamaged) {
    open();
    for (const double bound : {1e300, 1000.5, 0.5}) {
        Winner forged = stored_range("n=100", "n=1..100");
        forged.range.loss_bound = bound;
        {
            sqlite::Connection connection(path_, sqlite::Connection::Mode::read_write);
            sqlite::Statement(connection, insert("REPLACE", table_of<Winner>()))
                .execute(to_row(forged));
        }
        const auto store = open();
        EXPECT_EQ(store->verify().problems.size(), 1U) << bound;
        EXPECT_TRUE(store->winners().empty()) << bound;
        EXPECT_FALSE(store->find(plain_key(), Sizes{50})) << bound;
    }
}

TEST_F(WinnerRanges, OfAHopelessWinnerHaveTheHighestBound) {
    Winner slow = unsure(stored_range("n=100", "n=1..100"));
    slow.range.loss_bound = 2e6;
    save(slow);
    EXPECT_EQ(memory_->incumbent(plain_key(), Sizes{50})->range.loss_bound, kMostLossBound);
    slow.range.loss_bound = 0.5;
    EXPECT_NE(store_error([&] { save(slow); }).find("loss_bound = 0.5"), std::string::npos);
}

TEST_F(WinnerRanges, ThatAreNearestComeFirst) {
    save(stored_range("n=16", "n=8..32", "block=32"));
    save(stored_range("n=256", "n=128..1024", "block=64"));
    save(stored_range("n=65536", "n=4096..65536", "block=128"));
    save(unsure(stored_range("n=2000", "n=1025..3000", "block=256")));
    EXPECT_EQ(nearest({64}), (Texts{"n=16", "n=256", "n=2000", "n=65536"})) << "a tie";
    EXPECT_EQ(nearest({65}), (Texts{"n=256", "n=16", "n=2000", "n=65536"}));
    EXPECT_EQ(nearest({2048}), (Texts{"n=2000", "n=256", "n=65536", "n=16"}));
    EXPECT_EQ(nearest({200}, 1), Texts{"n=2000"}) << "what serves is no neighbour";
    EXPECT_EQ(nearest({2048}, 0), Texts{});
}

TEST_F(WinnerRanges, AreAsFarAsAllTheirSizesTogether) {
    save(stored_range("r=65536 c=1024", "", "block=32"));
    save(stored_range("r=1024 c=131072", "", "block=64"));
    save(stored_range("r=512 c=65536", "", "block=128"));
    save(stored_range("r=2048 c=262144", "", "block=256"));
    EXPECT_EQ(nearest({1024, 65536}),
              (Texts{"r=512 c=65536", "r=1024 c=131072", "r=2048 c=262144", "r=65536 c=1024"}));
}

TEST_F(WinnerRanges, TellWhereTheSameWinnersCount) {
    save(stored_range("n=100", "n=90..110; n=150", "block=32"));
    save(unsure(stored_range("n=200", "n=180..220", "block=64")));
    const auto around = [&](std::int64_t n) {
        return memory_->same_winners(plain_key(), Sizes{n}, {{50}, {400}});
    };
    EXPECT_EQ(around(60), (SizeBox{{50}, {89}}));
    EXPECT_EQ(around(100), (SizeBox{{90}, {110}}));
    EXPECT_EQ(around(120), (SizeBox{{111}, {149}}));
    EXPECT_EQ(around(200), (SizeBox{{180}, {220}}));
    EXPECT_EQ(around(300), (SizeBox{{221}, {400}}));
}

TEST_F(WinnerRanges, ThatAnotherProgramMadeOverlapAreAnsweredByTheYoungest) {
    open();
    Winner older = stored_range("n=100", "n=1..100", "block=32");
    Winner younger = stored_range("n=50", "n=40..60", "block=64");
    younger.provenance.created_at = "2026-11-21T00:00:00Z";
    for (const Winner& winner : {younger, older}) {
        sqlite::Connection connection(path_, sqlite::Connection::Mode::read_write);
        sqlite::Statement(connection, insert("INSERT", table_of<Winner>())).execute(to_row(winner));
    }
    const auto store = open();
    EXPECT_EQ(store->find(plain_key(), Sizes{50})->sizes, "n=50");
    EXPECT_EQ(store->find(plain_key(), Sizes{70})->sizes, "n=100");
    EXPECT_EQ(store->same_winners(plain_key(), Sizes{70}, {{1}, {100}}), (SizeBox{{61}, {100}}));
}

TEST_F(WinnerRanges, AreFoundThroughAnIndexAlone) {
    open();
    sqlite::Connection connection(path_, sqlite::Connection::Mode::read_only);
    sqlite::Statement plan(connection,
                           "EXPLAIN QUERY PLAN SELECT rowid, sizes, covers, unsure FROM "
                           "winner " +
                               where_key_of_any_bucket() + " ORDER BY created_at DESC");
    std::string detail;
    for (sqlite::Cursor cursor = plan.run(cells_of(plain_key())); cursor.next();) {
        detail += std::get<std::string>(cursor.row().at(3)) + "\n";
    }
    EXPECT_EQ(detail.find("SEARCH winner USING COVERING INDEX winner_range"), 0U) << detail;
}

TEST(BoundSentence, SaysWhatIsKnownOfTheLoss) {
    EXPECT_EQ(bound_sentence({"n=1..9", 1.02, 1, false}),
              "at most 2.0 % slower than the best, with 1 held-out size");
    EXPECT_EQ(bound_sentence({"n=1..9", 1.0004, 0, false}),
              "less than 0.1 % slower than the best, not tested at held-out sizes");
    EXPECT_EQ(bound_sentence({"n=1..9", kMostLossBound, 2, true}),
              "of unknown loss at some sizes, with 2 held-out sizes");
}

}  // namespace
}  // namespace jitune::internal
