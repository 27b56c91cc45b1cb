// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/stored_merges.hpp"

#include "fixtures/merge_fixture.hpp"
#include "support/loop_clock.hpp"
#include "tuner_db/winners/precedence.hpp"
#include "tuner_db/winners/record_row.hpp"

namespace jitune::internal {
namespace {

TEST_F(MergeTest, UndoBringsBackWhatWasThere) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    const std::vector<Measurement> one{measurement_of(40)};
    store("b")->save(one, winner_at("block=2", "n=150..300", "NVIDIA H200", 9));
    const auto before = dump("a");
    make("a", {"b"});
    EXPECT_NE(dump("a"), before);
    const auto merged = dump("a");
    const UndoReport report = store("a")->merges().undo();
    EXPECT_EQ(report.source, "b.db");
    EXPECT_EQ(report.measurements, 1);
    EXPECT_EQ(dump("a"), before);
    EXPECT_TRUE(store("a")->merges().all().empty());
    EXPECT_EQ(store("a")->merges().undo().source, "") << "nothing is left to undo";
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
        store("a")->merges().undo();
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
    store("a")->merges().undo();
    EXPECT_EQ(dump("a"), before);
}

TEST_F(MergeTest, UndoTakesAWinnerThatHasGotItsCodeSince) {
    store("a")->save({}, winner_at("block=1", "n=1..200", "NVIDIA H200", 9));
    store("b")->save({}, winner_at("block=2", "n=150..300"));
    const auto before = dump("a");
    merge("a", "b", {});
    const Winner merged = store("a")->incumbent(key_of(40), Sizes{250}).value();
    Winner whole = merged;
    whole.image_format = "cubin";
    whole.image = "compiled here";
    whole.range.unsure = false;
    EXPECT_TRUE(store("a")->merges().give_code(merged, whole));
    EXPECT_EQ(serving("a", 250), "block=2");
    EXPECT_EQ(serving("a", 180), "block=1");
    EXPECT_FALSE(store("a")->merges().give_code(merged, whole)) << "it has its code";
    merge("a", "b", {});
    EXPECT_EQ(serving("a", 250), "block=2") << "known";
    store("a")->merges().undo();
    EXPECT_EQ(dump("a"), before);
}

TEST_F(MergeTest, ARowWithoutCodeTellsWhetherItWasSure) {
    Winner unsure = winner_at("block=2", "n=1..300");
    EXPECT_FALSE(was_sure(unsure)) << "it has code";
    Winner sure = unsure;
    unsure.range.unsure = true;
    store("b")->save({}, sure);
    store("c")->save({}, unsure);
    for (int copies = 0; copies < 2; ++copies) {
        const std::string made = fmt::format("of {} copies", copies);
        merge("sure " + made, copies == 0 ? "b" : "sure of 0 copies", {});
        merge("unsure " + made, copies == 0 ? "c" : "unsure of 0 copies", {});
        EXPECT_TRUE(was_sure(store("sure " + made)->winners().at(0)));
        EXPECT_FALSE(was_sure(store("unsure " + made)->winners().at(0)));
    }
}

TEST_F(MergeTest, UndoLeavesTheWinnersThatBothHad) {
    store("a")->save({}, winner_of(41));
    store("b")->save({}, winner_of(41));
    store("b")->save({}, winner_of(42));
    const auto before = dump("a");
    make("a", {"b"});
    EXPECT_EQ(store("a")->winners().size(), 2U);
    store("a")->merges().undo();
    EXPECT_EQ(dump("a"), before);
}

TEST_F(MergeTest, UndoTakesBackTheLastMergeAlone) {
    store("b")->save({}, winner_of(41));
    store("c")->save({}, winner_of(42));
    make("a", {"b"});
    const auto before = dump("a");
    make("a", {"c", "c", "b"});
    EXPECT_EQ(store("a")->merges().undo().source, "c.db") << "repetitions are no merges";
    EXPECT_EQ(dump("a"), before);
    EXPECT_EQ(store("a")->merges().undo().source, "") << "only the last one can be taken back";
}

TEST_F(MergeTest, UndoTakesNothingFromLaterTunings) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    store("b")->save({}, winner_at("block=2", "n=100..300", "NVIDIA H200", 9));
    make("a", {"b"});
    Winner later = winner_at("block=3", "n=150..160");
    later.provenance.created_at = "2999-01-01T00:00:00Z";
    store("a")->save({}, later);
    store("a")->merges().undo();
    EXPECT_EQ(serving("a", 155), "block=3");
    EXPECT_EQ(serving("a", 120), "block=1");
    EXPECT_EQ(serving("a", 250), "");
    EXPECT_TRUE(store("a")->verify().problems.empty());
}

}  // namespace
}  // namespace jitune::internal
