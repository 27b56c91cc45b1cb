// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/merge/stored_merges.hpp"

#include <sys/stat.h>

#include "fixtures/merge_fixture.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {
namespace {

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
    EXPECT_EQ(store("a")->measurements().of(key_of(40)).size(), 2U);
    EXPECT_TRUE(store("a")->verify().problems.empty());
    const std::vector<Merge> merges = store("a")->merges().all();
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
    EXPECT_TRUE(store("a")->merges().all().empty());
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
    store("a")->merges().undo();
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

TEST_F(MergeTest, KeepsBothWhereAWinnerIsPinnedBesideAnObjectivesChoice) {
    const auto chosen = [](const std::string& configuration, int second) {
        Winner winner = faster(winner_at(configuration, "n=1..200", "NVIDIA H200", second), 3, 4);
        winner.certainty.conditions = "l2=cold objective=energy";
        return winner;
    };
    const Winner pinned = faster(winner_at("block=2", "n=1..200", "NVIDIA H100"), 1.5, 2);
    store("a")->save({}, chosen("block=1", 0));
    store("b")->save({}, pinned);
    make("a", {"b"});
    store("a")->pin(winner_id(chosen("block=1", 0)), true);
    store("a")->pin(winner_id(pinned), true);
    Winner choice = chosen("block=3", 30);
    EXPECT_FALSE(store("a")->save_choice(choice, Sizes{100}));
    EXPECT_EQ(choice.configuration, "block=2");
    EXPECT_EQ(serving("a", 100), "block=1");
    EXPECT_EQ(store("a")->winners().size(), 2U);
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
        return store_error(
            [&] { store("a")->merges().add(TuningStore::open_other(path, log_)->merges(), {}); });
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

TEST_F(MergeTest, WaitsForNoPipeInThePlaceOfAJournal) {
    store("a");
    store("b")->save({}, winner_of(41));
    for (const char* const suffix : {"-journal", "-wal", "-shm"}) {
        const std::string pipe = file("b").string() + suffix;
        std::filesystem::remove(pipe);
        ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
        const std::string error =
            store_error([&] { static_cast<void>(TuningStore::open_other(file("b"), log_)); });
        EXPECT_NE(error.find(pipe + " is not a regular file"), std::string::npos) << error;
        std::filesystem::remove(pipe);
        const std::string own = file("a").string() + suffix;
        std::filesystem::remove(own);
        ASSERT_EQ(mkfifo(own.c_str(), 0600), 0);
        const std::string refused = store_error([&] { store("a"); });
        EXPECT_NE(refused.find("beside it is not a regular file"), std::string::npos) << refused;
        std::filesystem::remove(own);
    }
}

TEST_F(MergeTest, BringsLaterWhatAPinHasKeptOut) {
    store("a")->save({}, winner_at("block=1", "n=1..200"));
    store("a")->pin(winner_id(winner_at("block=1", "")), true);
    store("b")->save({}, winner_at("block=2", "n=1..200", "NVIDIA H200", 9));
    make("a", {"b"});
    EXPECT_EQ(serving("a", 100), "block=1");
    EXPECT_TRUE(store("a")->merges().winners().empty()) << "a merge without news leaves no trace";
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
    EXPECT_EQ(store("a")->measurements().of(key_of(40)).size(), 1U);
    PruneRules rules;
    rules.is_dead = [](const RecordKey&) { return true; };
    EXPECT_EQ(store("a")->prune(rules).winners, 1);
    rules.is_dead = [](const RecordKey&) { return true; };
    store("a")->prune(rules);
    EXPECT_TRUE(store("a")->measurements().of(key_of(40)).empty());
}

}  // namespace
}  // namespace jitune::internal
