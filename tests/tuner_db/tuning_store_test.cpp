// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/tuning_store.hpp"

#include <limits>
#include <thread>

#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

class TuningStoreTest : public StoreFixture {
protected:
    /// The message with which save() refuses a winner or a measurement after `change`.
    template <class Change>
    std::string winner_refusal(Change change) {
        Winner winner = winner_of(1);
        change(winner);
        return store_error([&] { memory_->save({}, winner); });
    }
    template <class Change>
    std::string measurement_refusal(Change change) {
        std::vector<Measurement> measurements{measurement_of(1)};
        change(measurements[0]);
        return store_error([&] { memory_->save(measurements); });
    }

    std::unique_ptr<TuningStore> memory_ = TuningStore::in_memory(log_);
};

TEST_F(TuningStoreTest, FindsInALaterOpeningExactlyWhatWasSaved) {
    open()->save({}, winner_of(40));
    const auto store = open(Access::read_only);
    EXPECT_EQ(store->find(key_of(40), sizes_of(40)), winner_of(40));
    EXPECT_EQ(store->find(key_of(41), sizes_of(41)), std::nullopt);
    EXPECT_EQ(store->bad_rows(), 0);
}

TEST_F(TuningStoreTest, TellsKeysApartByEveryField) {
    memory_->save({}, winner_of(1));
    const RecordKey key = key_of(1);
    std::vector<RecordKey> others(6, key);
    others[0].kernel = "reduce'";
    others[1].types += " ";
    others[2].types.pop_back();
    others[3].alignment = 4;
    others[4].template_hash[0] = 'f';
    others[5].device_class = "host";
    for (const RecordKey& other : others) {
        EXPECT_EQ(memory_->find(other, sizes_of(1)), std::nullopt);
    }
    EXPECT_EQ(memory_->find(key, sizes_of(2)), std::nullopt);
    EXPECT_TRUE(memory_->find(key, sizes_of(1)));
}

TEST_F(TuningStoreTest, KeepsAwkwardTextAsItIs) {
    Winner winner = winner_of(1);
    winner.key.kernel = "'; DROP TABLE winner; --";
    winner.configuration = std::string("\0 \xff\xfe \" \n", 8);
    winner.provenance.device_name = std::string(1 << 20, 'x');
    winner.key.types = "";
    memory_->save({}, winner);
    EXPECT_EQ(memory_->find(winner.key, sizes_of(1)), winner);
}

TEST_F(TuningStoreTest, HasOneWinnerForASizeTheLastSaved) {
    memory_->save({}, winner_of(1, 200));
    memory_->save({}, winner_of(1, 100));
    EXPECT_EQ(memory_->find(key_of(1), sizes_of(1)), winner_of(1, 100));
    EXPECT_EQ(memory_->winners().size(), 1U);
}

TEST_F(TuningStoreTest, ListsWinnersInOrderWithoutImages) {
    for (const std::int64_t bucket : {30, 4, 17}) {
        memory_->save({}, winner_of(bucket));
    }
    std::vector<Winner> expected{winner_of(4), winner_of(17), winner_of(30)};
    for (Winner& winner : expected) {
        winner.image.clear();
    }
    EXPECT_EQ(memory_->winners(), expected);
}

TEST_F(TuningStoreTest, AppendsMeasurementsOnceEach) {
    Measurement failed = measurement_of(1);
    failed.verdict = Verdict::compile_failed;
    failed.reason = std::string("error: \0 expected", 17);
    failed.samples_ns.clear();
    failed.provenance.created_at = "2026-11-20T16:00:01Z";
    const std::vector<Measurement> first{measurement_of(1, 5), measurement_of(2), failed};
    const std::vector<Measurement> again{measurement_of(1, 5), measurement_of(1, 4)};
    memory_->save(first);
    memory_->save(again);
    EXPECT_EQ(memory_->measurements().of(key_of(1)),
              (std::vector<Measurement>{measurement_of(1, 5), measurement_of(1, 4), failed}));
    EXPECT_EQ(memory_->verify().measurements, 4);
}

TEST_F(TuningStoreTest, CountsTheMeasurementsOfEachKey) {
    EXPECT_TRUE(memory_->measurements().keys().empty());
    memory_->save(std::vector{measurement_of(2), measurement_of(1), measurement_of(2, 1000.5)});
    const auto keys = memory_->measurements().keys();
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_EQ(keys[0].key, key_of(1));
    EXPECT_EQ(keys[0].measurements, 1);
    EXPECT_EQ(keys[1].key, key_of(2));
    EXPECT_EQ(keys[1].measurements, 2);
}

TEST_F(TuningStoreTest, FindsTheComparisonsOfAKeyInEveryBucket) {
    std::vector<Measurement> all{measurement_of(1), measurement_of(1), measurement_of(2),
                                 measurement_of(3)};
    all[1].conditions = "l2=cold compared";
    all[2].conditions = "l2=cold compared";
    all[2].key = key_of(1);
    all[2].key.bucket += 5;
    all[3].conditions = "l2=cold compared";
    all[3].key.types += " other";
    memory_->save(all);
    EXPECT_EQ(memory_->measurements().comparisons(key_of(1)),
              (std::vector<Measurement>{all[1], all[2]}));
}

TEST_F(TuningStoreTest, FindsTheComparisonsNearABucketInEachSize) {
    std::vector<Measurement> all;
    for (const std::int64_t bucket : {20, 26, 27, 14, 13, 20 | 6 << 8, 20 | 7 << 8, 20 | 1 << 16}) {
        all.push_back(measurement_of(1));
        all.back().conditions = "l2=cold compared";
        all.back().key.bucket = bucket;
    }
    memory_->save(all);
    EXPECT_EQ(memory_->measurements().comparisons(all[0].key, 6),
              (std::vector<Measurement>{all[0], all[1], all[3], all[5], all[7]}));
}

TEST_F(TuningStoreTest, AWinnerThatIsFoundWrongLaterDoesNotServe) {
    const auto winner = [](std::int64_t number) {
        Winner made = winner_of(number);
        made.configuration = "block=" + std::to_string(number);
        return made;
    };
    for (int number = 1; number <= 4; ++number) {
        memory_->save({}, winner(number));
    }
    const auto wrong = [&](std::int64_t number) {
        Measurement measurement = measurement_of(number);
        measurement.configuration = winner(number).configuration;
        measurement.verdict = Verdict::wrong_result;
        measurement.samples_ns.clear();
        return measurement;
    };
    Measurement other = wrong(2), crashed = wrong(3), older = wrong(4);
    other.configuration = "block=1024";
    crashed.verdict = Verdict::crashed;
    older.provenance.created_at = "2026-11-20T15:59:59Z";
    const std::vector<Measurement> all{wrong(1), other, crashed, older};
    memory_->save(all);
    EXPECT_EQ(memory_->find(key_of(1), sizes_of(1)), std::nullopt);
    EXPECT_EQ(memory_->measurements().of(key_of(1)).size(), 1U);
    for (int number = 2; number <= 4; ++number) {
        EXPECT_EQ(memory_->find(key_of(number), sizes_of(number)), winner(number)) << number;
    }
}

TEST_F(TuningStoreTest, AConfigurationThatIsFoundWrongAtOneSizeServesAtNone) {
    for (int number = 1; number <= 3; ++number) {
        memory_->save({}, winner_of(number));
    }
    std::vector<Measurement> wrong{measurement_of(7)};
    wrong[0].configuration = winner_of(1).configuration;
    wrong[0].verdict = Verdict::wrong_result;
    wrong[0].samples_ns.clear();
    memory_->save(wrong);
    EXPECT_TRUE(memory_->winners().empty());
}

TEST_F(TuningStoreTest, SavesEveryVerdict) {
    for (int i = 0; i < 6; ++i) {
        Measurement measurement = measurement_of(i);
        measurement.verdict = static_cast<Verdict>(i);
        if (measurement.verdict != Verdict::timed) {
            measurement.samples_ns.clear();
        }
        const std::vector<Measurement> one{measurement};
        memory_->save(one);
        EXPECT_EQ(memory_->measurements().of(key_of(i)), one) << to_string(measurement.verdict);
    }
}

TEST_F(TuningStoreTest, KeepsHowReproducibleAConfigurationIs) {
    for (const std::string reproducibility : {"exact", "fixed", "any"}) {
        Winner winner = winner_of(1);
        std::vector<Measurement> one{measurement_of(1)};
        winner.reproducibility = one[0].reproducibility = reproducibility;
        memory_->save(one, winner);
        EXPECT_EQ(memory_->find(key_of(1), sizes_of(1)), winner);
        EXPECT_EQ(memory_->measurements().of(key_of(1)).back(), one[0]);
    }
    EXPECT_NE(winner_refusal([](Winner& w) { w.reproducibility = "often"; }), "");
    EXPECT_NE(measurement_refusal([](Measurement& m) { m.reproducibility = ""; }), "");
}

TEST_F(TuningStoreTest, RefusesTimesThatAreNoTimes) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double not_a_number = std::numeric_limits<double>::quiet_NaN();
    for (const double time : {not_a_number, kInfinity, -kInfinity, 0.0, -1.0}) {
        EXPECT_NE(winner_refusal([&](Winner& w) { w.median_ns = time; }).find("median_ns"),
                  std::string::npos);
        EXPECT_NE(measurement_refusal([&](Measurement& m) {
                      m.samples_ns[1] = time;
                  }).find("samples_ns[1]"),
                  std::string::npos);
    }
    EXPECT_NE(winner_refusal([&](Winner& w) { w.noise = not_a_number; }).find("noise"),
              std::string::npos);
    EXPECT_NE(winner_refusal([](Winner& w) { w.default_median_ns = -1; }).find("default_median_ns"),
              std::string::npos);
    EXPECT_EQ(memory_->verify().winners + memory_->verify().measurements, 0);
}

TEST_F(TuningStoreTest, TakesAWinnerWhoseDefaultHasNoTime) {
    Winner winner = winner_of(1);
    winner.default_median_ns = 0;
    winner.noise = -0.0;
    memory_->save({}, winner);
    EXPECT_EQ(memory_->find(key_of(1), sizes_of(1)), winner);
}

TEST_F(TuningStoreTest, RefusesAWinnerThatCannotBeLaunched) {
    EXPECT_NE(winner_refusal([](Winner& w) { w.image.clear(); }), "");
    EXPECT_NE(winner_refusal([](Winner& w) { w.image_format = "exe"; }), "");
    EXPECT_NE(winner_refusal([](Winner& w) { w.symbols.clear(); }), "");
    EXPECT_NE(winner_refusal([](Winner& w) { w.symbols = {"a\nb"}; }), "");
    EXPECT_NE(winner_refusal([](Winner& w) { w.image.assign(70'000'000, 'x'); }), "");
}

TEST_F(TuningStoreTest, RefusesSamplesThatDoNotFitTheVerdict) {
    EXPECT_NE(measurement_refusal([](Measurement& m) { m.samples_ns.clear(); }), "");
    EXPECT_NE(measurement_refusal([](Measurement& m) { m.verdict = Verdict::crashed; }), "");
    EXPECT_NE(measurement_refusal([](Measurement& m) { m.reason = "none"; }), "");
}

TEST_F(TuningStoreTest, SavesAllOrNothing) {
    Winner refused = winner_of(1);
    refused.image_format = "exe";
    const std::vector<Measurement> good{measurement_of(1)};
    EXPECT_NE(store_error([&] { memory_->save(good, refused); }), "");
    EXPECT_TRUE(memory_->measurements().of(key_of(1)).empty());
}

TEST_F(TuningStoreTest, ReportsItsState) {
    const auto store = open();
    store->save({}, winner_of(1));
    const TuningStore::Status status = store->status();
    EXPECT_EQ(status.path, std::filesystem::canonical(path_));
    EXPECT_EQ(status.sqlite_version, sqlite3_libversion());
    EXPECT_GE(status.bytes, 4096);
    EXPECT_EQ(memory_->status().path, "");
    EXPECT_EQ(memory_->status().journal_mode, "memory");
}

TEST_F(TuningStoreTest, ServesManyThreadsAtOnce) {
    const auto store = open();
    store->save({}, winner_of(1));
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 10; ++i) {
                const std::vector<Measurement> one{measurement_of(2, 1 + thread * 100 + i)};
                store->save(one, winner_of(thread + 10));
                // Waiting too long for another thread is an answer, too.
                store_error([&] { EXPECT_EQ(store->find(key_of(1), sizes_of(1)), winner_of(1)); });
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(store->measurements().of(key_of(2)).size(), 80U);
    EXPECT_EQ(store->winners().size(), 9U);
}

}  // namespace
}  // namespace jitune::internal
