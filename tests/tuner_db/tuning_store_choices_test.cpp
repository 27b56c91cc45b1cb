// SPDX-License-Identifier: Apache-2.0
#include "fixtures/store_fixture.hpp"
#include "tuner_db/winners/precedence.hpp"

namespace jitune::internal {
namespace {

Winner choice_of(const std::string& objective, const std::string& configuration) {
    Winner winner = winner_of(1);
    winner.configuration = configuration;
    winner.certainty.conditions = "objective=" + objective;
    return winner;
}

class Choices : public StoreFixture {
protected:
    bool save(Winner& choice) { return store_->save_choice(choice, sizes_of(1)); }
    Winner stored() { return store_->find(key_of(1), sizes_of(1)).value(); }

    std::unique_ptr<TuningStore> store_ = open();
};

TEST_F(Choices, ArePinnedInPlaceOfTheWinnerAndOfTheSameObjectivesEarlierOne) {
    store_->save({}, winner_of(1));
    for (const char* configuration : {"block=1", "block=2", "block=1"}) {
        Winner choice = choice_of("energy", configuration);
        EXPECT_TRUE(save(choice));
        EXPECT_TRUE(choice.pinned);
        EXPECT_EQ(stored(), choice);
        EXPECT_EQ(stored().configuration, configuration);
        EXPECT_EQ(store_->winners().size(), 1U);
    }
}

TEST_F(Choices, LeaveTheSameObjectivesChoiceAtOtherSizesPinned) {
    Winner wide = choice_of("energy", "block=1");
    wide.range.covers = fmt::format("n={}..{}", sizes_of(1)[0], sizes_of(9)[0]);
    ASSERT_TRUE(save(wide));
    Winner other = winner_of(5);
    other.configuration = "block=2";
    other.certainty.conditions = "objective=energy";
    EXPECT_TRUE(store_->save_choice(other, sizes_of(5)));
    EXPECT_EQ(store_->find(key_of(5), sizes_of(5)), other);
    EXPECT_EQ(stored().configuration, "block=1");
    EXPECT_TRUE(stored().pinned);
}

TEST_F(Choices, AreRefusedWhereAPinnedUnsureWinnerHasTheirPlace) {
    Winner unsure = choice_of("energy", "block=1");
    unsure.range.unsure = true;
    store_->save({}, unsure);
    store_->pin(winner_id(unsure), true);
    Winner choice = choice_of("energy", "block=1");
    EXPECT_FALSE(save(choice));
}

TEST_F(Choices, LeaveWhatAPersonOrAnotherObjectiveHasPinned) {
    for (const char* conditions : {"l2=cold", "objective=edp"}) {
        Winner pinned = winner_of(1);
        pinned.certainty.conditions = conditions;
        store_->save({}, pinned);
        store_->pin(winner_id(pinned), true);
        Winner choice = choice_of("energy", "block=1");
        EXPECT_FALSE(save(choice));
        EXPECT_EQ(choice.configuration, pinned.configuration);
        EXPECT_TRUE(stored().pinned);
        EXPECT_EQ(stored().certainty.conditions, conditions);
        store_->pin(winner_id(pinned), false);
    }
}

TEST_F(Choices, ThatCannotBeStoredLeaveTheEarlierOnePinned) {
    Winner earlier = choice_of("energy", "block=1");
    ASSERT_TRUE(save(earlier));
    Winner choice = choice_of("energy", "block=2");
    choice.range.covers = "n=";
    EXPECT_NE(store_error([&] { save(choice); }), "");
    EXPECT_EQ(stored(), earlier);
}

TEST_F(Choices, AreWhatServesAfterATuningThatYieldsToThem) {
    Winner tuned = winner_of(1);
    EXPECT_EQ(store_->save({}, {&tuned, 1}, sizes_of(1)), tuned);
    Winner choice = choice_of("energy", "block=1");
    ASSERT_TRUE(save(choice));
    EXPECT_EQ(store_->save({}, {&tuned, 1}, sizes_of(1)), choice);
    tuned = winner_of(5);
    tuned.range.unsure = true;
    EXPECT_EQ(store_->save({}, {&tuned, 1}, sizes_of(5)), std::nullopt);
}

}  // namespace
}  // namespace jitune::internal
