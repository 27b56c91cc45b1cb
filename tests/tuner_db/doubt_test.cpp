// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/doubt.hpp"

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

Doubt doubt_of(const Winner& winner, double served_ns = 2000) {
    return {winner.key,
            winner.sizes,
            winner.configuration,
            winner.provenance.created_at,
            Doubt::kSlow,
            winner.sizes,
            "",
            served_ns,
            1300,
            "CUDA 13.0",
            "NVIDIA H200",
            1,
            "2026-11-21T16:00:00Z",
            "2026-11-21T16:00:00Z"};
}

class DoubtStore : public StoreFixture {
protected:
    DoubtStore() { open()->save({}, winner_); }

    void report(const Doubt& doubt) { open()->calls().add({.doubts = {doubt}}); }

    Winner winner_ = winner_of(40);
};

TEST_F(DoubtStore, CountsReportsAndKeepsTheLast) {
    report(doubt_of(winner_));
    Doubt later = doubt_of(winner_, 2500);
    later.first_at = later.last_at = "2026-11-22T16:00:00Z";
    report(later);
    later.reports = 2;
    later.first_at = "2026-11-21T16:00:00Z";
    EXPECT_EQ(open()->calls().doubts(), std::vector{later});
    EXPECT_NE(doubt_about(open()->calls().doubts(), winner_), nullptr);
}

TEST_F(DoubtStore, EndsWithTheRow) {
    report(doubt_of(winner_));
    open()->save({}, winner_);
    EXPECT_TRUE(open()->calls().doubts().empty()) << "the same place, measured again";
    report(doubt_of(winner_));
    Winner other = winner_;
    other.configuration = "block=128";
    other.provenance.created_at = "2026-11-22T16:00:00Z";
    open()->save({}, other);
    EXPECT_TRUE(open()->calls().doubts().empty()) << "another one serves its sizes";
}

TEST_F(DoubtStore, TakesNoneAboutAnOlderRowOfTheSamePlace) {
    Winner older = winner_;
    older.provenance.created_at = "2026-11-19T16:00:00Z";
    report(doubt_of(older));
    EXPECT_TRUE(open()->calls().doubts().empty());
    EXPECT_EQ(doubt_about(std::vector{doubt_of(older)}, winner_), nullptr);
}

TEST_F(DoubtStore, RemovesWhatItIsTold) {
    report(doubt_of(winner_));
    open()->calls().remove(std::vector{doubt_of(winner_)});
    EXPECT_TRUE(open()->calls().doubts().empty());
    EXPECT_EQ(open()->winners().size(), 1U);
}

TEST_F(DoubtStore, LeavesDamagedRowsOut) {
    report(doubt_of(winner_));
    sql("UPDATE doubt SET served_ns = 9");
    EXPECT_TRUE(open()->calls().doubts().empty());
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("1 row of the table doubt is damaged"), std::string::npos);
    EXPECT_EQ(open()->verify().problems,
              std::vector<std::string>{"doubt 1: wrong digest, type, sizes, times or bound"});
    report(doubt_of(winner_));
    EXPECT_EQ(open()->calls().doubts().size(), 1U);
}

TEST(DoubtSentence, SaysWhy) {
    Doubt doubt = doubt_of(winner_of(40));
    EXPECT_EQ(doubt_sentence(doubt),
              "calls at n=1048576 took 2 us instead of at most 1.3 us, 2026-11-21");
    doubt.reason = Doubt::kDriver;
    EXPECT_EQ(doubt_sentence(doubt), "not raced since the driver became CUDA 13.0, 2026-11-21");
}

}  // namespace
}  // namespace jitune::internal
