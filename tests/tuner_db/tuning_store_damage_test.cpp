// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "attack/tally.hpp"
#include "fixtures/store_fixture.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;

constexpr int kWinners = 6;

/// Damages a file and then reads everything that the store returns from it.
class Damage : public StoreFixture {
protected:
    void SetUp() override {
        {
            const auto store = open();
            for (int bucket = 0; bucket < kWinners; ++bucket) {
                const std::vector<Measurement> one{measurement_of(bucket)};
                store->save(one, winner_of(bucket));
            }
        }
        good_ = bytes();
    }

    struct Answers {
        int exact = 0, missing = 0, refused = 0, silent = 0;
    };

    void find(TuningStore& store, int bucket, Answers& answers) {
        try {
            const std::optional<Winner> winner = store.find(key_of(bucket), sizes_of(bucket));
            ++(!winner                        ? answers.missing
               : *winner == winner_of(bucket) ? answers.exact
                                              : answers.silent);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
            ++answers.refused;
        }
    }

    void read_others(TuningStore& store, Answers& answers) {
        store_error([&] {
            for (Winner winner : store.nearest(key_of(0), sizes_of(0), kWinners)) {
                Winner expected = winner_of(winner.key.bucket);
                expected.image.clear();
                answers.silent += winner != expected;
            }
            for (int bucket = 0; bucket < kWinners; ++bucket) {
                for (const Measurement& measurement : store.measurements().of(key_of(bucket))) {
                    answers.silent += measurement != measurement_of(bucket);
                }
            }
        });
    }

    /// Adds the answers of a store over a file with these bytes to `answers`.
    void read(const std::string& damaged, Answers& answers) {
        for (const auto& entry : fs::directory_iterator(dir_.path())) {
            fs::remove(entry);
        }
        write(damaged);
        std::unique_ptr<TuningStore> store;
        if (!refusal_of_open(store).empty()) {
            answers.refused += kWinners;
            return;
        }
        read_others(*store, answers);
        for (int bucket = 0; bucket < kWinners; ++bucket) {
            find(*store, bucket, answers);
        }
        store_error([&] { (void)store->verify(); });
        store_error([&] { store->save({}, winner_of(kWinners)); });
    }

    std::string refusal_of_open(std::unique_ptr<TuningStore>& store) {
        return store_error([&] { store = open(); });
    }

    std::string good_;
};

TEST_F(Damage, OfAnyBitNeverGivesAnotherWinner) {
    const int flips = tries(2500, 20'000);
    Tally tally("bits of a database flipped");
    std::mt19937 random(20261120);
    std::uniform_int_distribution<std::size_t> bit(0, good_.size() * 8 - 1);
    Answers answers;
    for (int flip = 0; flip < flips; ++flip) {
        std::string damaged = good_;
        const std::size_t at = bit(random);
        damaged[at / 8] = static_cast<char>(damaged[at / 8] ^ (1 << (at % 8)));
        read(damaged, answers);
        tally.add(answers.silent == 0);
        ASSERT_EQ(answers.silent, 0) << "bit " << at;
    }
    EXPECT_EQ(answers.exact + answers.missing + answers.refused, flips * kWinners);
    EXPECT_GT(answers.exact, flips * kWinners / 2);
    EXPECT_GT(answers.missing, flips / 3);
}

TEST_F(Damage, OfEveryHeaderByteNeverGivesAnotherWinner) {
    Tally tally("header bytes of a database inverted");
    Answers answers;
    for (std::size_t at = 0; at < 112; ++at) {
        std::string damaged = good_;
        damaged[at] = static_cast<char>(~damaged[at]);
        read(damaged, answers);
        tally.add(answers.silent == 0);
        ASSERT_EQ(answers.silent, 0) << "byte " << at;
    }
}

TEST_F(Damage, ByTruncationNeverGivesAnotherWinner) {
    std::vector<std::size_t> lengths{0,   1,   15,   16,   99,   100,
                                     511, 512, 4095, 4096, 4097, good_.size() - 1};
    const auto step = static_cast<std::size_t>(tries(201, 23));
    for (std::size_t length = 0; length < good_.size(); length += step) {
        lengths.push_back(length);
    }
    Tally tally("databases cut off");
    Answers answers;
    for (const std::size_t length : lengths) {
        read(good_.substr(0, length), answers);
        tally.add(answers.silent == 0);
        ASSERT_EQ(answers.silent, 0) << "length " << length;
    }
    EXPECT_GE(lengths.size(), 150U);
}

TEST_F(Damage, OfOneRowLosesOnlyThatRow) {
    sql("UPDATE winner SET configuration = 'block=512' WHERE bucket = 2");
    const auto store = open();
    EXPECT_EQ(store->winners().size(), kWinners - 1U);
    EXPECT_EQ(store->bad_rows(), 1);
    EXPECT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find("1 of "), std::string::npos) << warnings_[0];
    EXPECT_EQ(store->find(key_of(2), sizes_of(2)), std::nullopt);
    EXPECT_EQ(store->bad_rows(), 2);
    EXPECT_EQ(warnings_.size(), 2U);
    EXPECT_EQ(store->find(key_of(2), sizes_of(2)), std::nullopt);
    EXPECT_EQ(store->bad_rows(), 2) << "the row is still there";
    EXPECT_EQ(store->find(key_of(3), sizes_of(3)), winner_of(3));
    store->save({}, winner_of(2));
    EXPECT_EQ(store->find(key_of(2), sizes_of(2)), winner_of(2));
}

TEST_F(Damage, OfAnyColumnIsFound) {
    const auto columns = {"digest = zeroblob(16)",
                          "types = types || ' '",
                          "sizes = ''",
                          "configuration = 'x'",
                          "median_ns = 1",
                          "noise = 0",
                          "default_median_ns = 1",
                          "complete = 0",
                          "image_format = 'ptx'",
                          "image = x'00'",
                          "symbols = 'x'",
                          "device_name = ''",
                          "device_uuid = ''",
                          "driver = ''",
                          "compiler = ''",
                          "created_at = ''",
                          "reproducibility = 'exact'",
                          "covers = 'n=1..9'",
                          "covers = 'everything'",
                          "loss_bound = 1.5",
                          "held_out = 3",
                          "unsure = 1"};
    for (const std::string column : columns) {
        write(good_);
        sql("UPDATE winner SET " + column + " WHERE bucket = 1");
        EXPECT_EQ(open()->verify().problems.size(), 1U) << column;
        EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), std::nullopt) << column;
    }
}

TEST_F(Damage, ThatMakesAResultSeemReproducibleIsFound) {
    Winner unordered = winner_of(1);
    unordered.reproducibility = "any";
    open()->save({}, unordered);
    EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), unordered);
    sql("UPDATE winner SET reproducibility = 'fixed' WHERE bucket = 1");
    EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), std::nullopt);
}

TEST_F(Damage, IsNotRepairedByAReader) {
    sql("UPDATE winner SET noise = 0.5 WHERE bucket = 2");
    const std::string before = bytes();
    EXPECT_EQ(open(Access::read_only)->find(key_of(2), sizes_of(2)), std::nullopt);
    EXPECT_EQ(bytes(), before);
}

TEST_F(Damage, OfAMeasurementIsCountedAndReported) {
    sql("UPDATE measurement SET sizes = 'n=2' WHERE bucket = 2");
    const auto store = open();
    EXPECT_TRUE(store->measurements().of(key_of(2)).empty());
    EXPECT_EQ(store->bad_rows(), 1);
    const TuningStore::Check check = store->verify();
    EXPECT_EQ(check.winners, kWinners);
    EXPECT_EQ(check.measurements, kWinners - 1);
    EXPECT_EQ(check.problems.size(), 1U);
}

TEST_F(Damage, ThatLeavesNoDatabaseRenamesTheFileOnce) {
    const std::string garbage(10'000, 'x');
    write(garbage);
    const auto store = open();
    EXPECT_EQ(warnings_.size(), 1U);
    store->save({}, winner_of(1));
    EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), winner_of(1));
    EXPECT_EQ(fs::file_size(file_next_to_it(".bad-1")), garbage.size());
    EXPECT_FALSE(fs::exists(file_next_to_it(".bad-2")));
}

TEST_F(Damage, IsNotAssumedOfAFileWithAnotherName) {
    path_ = dir_.path() / "results.csv";
    const std::string text(10'000, 'x');
    write(text);
    for (const Access access : {Access::read_write, Access::read_only}) {
        EXPECT_EQ(refusal(access), "tuning database " + path_.string() +
                                       ": the file is not a database; jitune leaves it alone: use "
                                       "another path, or move it away");
    }
    EXPECT_EQ(fs::file_size(path_), text.size());
    EXPECT_FALSE(fs::exists(file_next_to_it(".bad-1")));
}

TEST_F(Damage, IsNotRenamedByAReader) {
    write(std::string(10'000, 'x'));
    EXPECT_NE(refusal(Access::read_only), "");
    EXPECT_FALSE(fs::exists(file_next_to_it(".bad-1")));
}

TEST_F(Damage, IsNotAssumedOfAnEmptyFile) {
    write("");
    EXPECT_EQ(open(Access::read_only)->find(key_of(1), sizes_of(1)), std::nullopt);
    EXPECT_TRUE(open(Access::read_only)->is_read_only());
    EXPECT_EQ(fs::file_size(path_), 0U);
    EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), std::nullopt);
    EXPECT_TRUE(warnings_.empty());
}

TEST_F(Damage, ByRemovalOrReplacementUnderAnOpenStoreNeverGivesAnotherWinner) {
    const auto removed = open();
    fs::remove(path_);
    Answers answers;
    find(*removed, 1, answers);
    store_error([&] { removed->save({}, winner_of(kWinners)); });
    EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), std::nullopt) << "a new, empty database";
    find(*removed, 2, answers);
    write(good_);
    const auto replaced = open();
    fs::rename(path_, file_next_to_it(".old"));
    open()->save({}, winner_of(kWinners));
    find(*replaced, 3, answers);
    store_error([&] { replaced->save({}, winner_of(4)); });
    EXPECT_EQ(open()->find(key_of(kWinners), sizes_of(kWinners)), winner_of(kWinners));
    EXPECT_EQ(open()->find(key_of(1), sizes_of(1)), std::nullopt);
    EXPECT_EQ(answers.silent, 0);
    EXPECT_EQ(answers.exact, 3);
}

TEST_F(Damage, ByALeftoverJournalOfAnotherDatabaseNeverGivesAnotherWinner) {
    for (const char* suffix : {"-journal", "-wal", "-shm"}) {
        std::ofstream(file_next_to_it(suffix), std::ios::binary) << std::string(5000, 'x');
        Answers answers;
        find(*open(), 1, answers);
        EXPECT_EQ(answers.exact, 1) << suffix;
    }
}

}  // namespace
}  // namespace jitune::internal
