// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/winners/measurement_journal.hpp"

#include <algorithm>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

class MeasurementJournalTest : public StoreFixture {
protected:
    /// Makes the journal of a killed process, filled by `write`.
    template <class Body>
    void leave(Body write) {
        open();
        const Child child([&] {
            auto* journal = new MeasurementJournal(path_);
            write(*journal);
            ::_exit(0);  // as a kill does, without the destructor
        });
        ASSERT_EQ(child.wait(), 0);
    }

    [[nodiscard]] std::vector<std::filesystem::path> journals() const {
        std::vector<std::filesystem::path> found;
        for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
            if (entry.path().filename().string().find("-sweep-") != std::string::npos) {
                found.push_back(entry.path());
            }
        }
        return found;
    }

    static Measurement in_flight(std::int64_t bucket) {
        Measurement measurement = measurement_of(bucket);
        measurement.verdict = Verdict::crashed;
        measurement.reason = "down";
        measurement.samples_ns.clear();
        return measurement;
    }
};

TEST_F(MeasurementJournalTest, SavesTheMeasurementsOfAKilledProcess) {
    leave([](MeasurementJournal& journal) {
        journal.announce(std::vector{in_flight(1), in_flight(2)});
        journal.add(measurement_of(1));
    });
    const auto store = open();
    EXPECT_EQ(MeasurementJournal::recover(path_, *store), 1);
    EXPECT_EQ(store->measurements().of(key_of(1)), std::vector{measurement_of(1)});
    EXPECT_EQ(store->measurements().of(key_of(2)).size(), 0U);  // the machine stayed up
    EXPECT_TRUE(journals().empty());
    EXPECT_EQ(MeasurementJournal::recover(path_, *store), 0);
}

TEST_F(MeasurementJournalTest, SavesTheCandidatesInFlightWhenTheMachineWentDown) {
    leave([](MeasurementJournal& journal) {
        journal.announce(std::vector{in_flight(1), in_flight(2)});
        journal.add(measurement_of(1));
    });
    const auto store = open();
    EXPECT_EQ(MeasurementJournal::recover(path_, *store, "another boot"), 1);
    EXPECT_EQ(store->measurements().of(key_of(1)), std::vector{measurement_of(1)});
    EXPECT_EQ(store->measurements().of(key_of(2)), std::vector{in_flight(2)});
}

TEST_F(MeasurementJournalTest, MayBeMergedTwice) {
    leave([](MeasurementJournal& journal) { journal.add(measurement_of(1)); });
    const std::filesystem::path journal = journals().front();
    const std::filesystem::path copy = file_next_to_it("-sweep-1-1");
    std::filesystem::copy(journal, copy);
    const auto store = open();
    EXPECT_EQ(MeasurementJournal::recover(path_, *store), 2);
    EXPECT_EQ(store->measurements().of(key_of(1)).size(), 1U);
}

TEST_F(MeasurementJournalTest, EndsAtAnIncompleteMessage) {
    leave([](MeasurementJournal& journal) {
        journal.add(measurement_of(1));
        journal.add(measurement_of(2));
    });
    const std::filesystem::path journal = journals().front();
    const std::string whole = [&] {
        std::ifstream file(journal, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }();
    for (const std::size_t lost : {std::size_t{1}, std::size_t{100}, whole.size() / 4}) {
        std::filesystem::remove(path_);
        std::ofstream(journal, std::ios::binary | std::ios::trunc)
            << whole.substr(0, whole.size() - lost);
        const auto store = open();
        EXPECT_EQ(MeasurementJournal::recover(path_, *store), 1);
        EXPECT_EQ(store->measurements().of(key_of(1)).size(), 1U) << lost;
        EXPECT_EQ(store->measurements().of(key_of(2)).size(), 0U) << lost;
    }
    std::string bad = whole;
    bad[whole.size() - 5] ^= 1;
    std::filesystem::remove(path_);
    std::ofstream(journal, std::ios::binary | std::ios::trunc) << bad;
    const auto store = open();
    EXPECT_EQ(MeasurementJournal::recover(path_, *store), 1);
    EXPECT_EQ(store->measurements().of(key_of(2)).size(), 0U);
}

TEST_F(MeasurementJournalTest, LeavesTheJournalOfALivingProcessAlone) {
    const auto store = open();
    MeasurementJournal journal(path_);
    journal.add(measurement_of(1));
    EXPECT_EQ(MeasurementJournal::recover(path_, *store), 0);
    EXPECT_TRUE(std::filesystem::exists(journal.path()));
    EXPECT_EQ(store->measurements().of(key_of(1)).size(), 0U);
}

TEST_F(MeasurementJournalTest, IsFoundBesideTheDatabaseWithWhatIsInIt) {
    EXPECT_TRUE(MeasurementJournal::find(path_).empty());
    leave([](MeasurementJournal& journal) {
        journal.announce(std::vector{in_flight(1), in_flight(2)});
        journal.add(measurement_of(1));
    });
    MeasurementJournal living(path_);
    living.add(measurement_of(3));
    const auto found = MeasurementJournal::find(path_);
    ASSERT_EQ(found.size(), 2U);
    for (const MeasurementJournal::Found& one : found) {
        EXPECT_EQ(one.is_in_use, one.path == living.path());
        EXPECT_EQ(one.measurements, one.is_in_use ? 0U : 1U);
    }
    EXPECT_EQ(journals().size(), 2U);
}

TEST_F(MeasurementJournalTest, IsRemovedOnlyOnceItIsInTheDatabase) {
    open();
    { const MeasurementJournal empty(path_); }
    EXPECT_TRUE(journals().empty());
    { MeasurementJournal(path_).add(measurement_of(1)); }
    EXPECT_EQ(journals().size(), 1U);
    {
        MeasurementJournal cleared(path_);
        cleared.add(measurement_of(2));
        cleared.clear();
    }
    EXPECT_EQ(journals().size(), 1U);
    EXPECT_EQ(MeasurementJournal::recover(path_, *open()), 1);
}

TEST_F(MeasurementJournalTest, SaysWhyItCannotBeMade) {
    EXPECT_NE(store_error([&] { MeasurementJournal("/no/such/folder/tuning.db"); }).find("open"),
              std::string::npos);
}

}  // namespace
}  // namespace jitune::internal
