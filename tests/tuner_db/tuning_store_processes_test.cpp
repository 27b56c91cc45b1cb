// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <random>
#include <thread>

#include "fixtures/store_fixture.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuner_db/file/sqlite_failure.hpp"

namespace jitune::internal {
namespace {

/// A counter that a child writes and its parent reads.
class SharedCounter {
public:
    SharedCounter()
        : memory_(mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0)),
          value_(new (memory_) std::atomic<int>(0)) {}
    ~SharedCounter() { munmap(memory_, sizeof(std::atomic<int>)); }
    SharedCounter(const SharedCounter&) = delete;
    SharedCounter& operator=(const SharedCounter&) = delete;

    std::atomic<int>& operator*() const { return *value_; }

private:
    void* memory_;
    std::atomic<int>* value_;
};

/// Saves, and tries again as often as others held the file for as long as a save waits: a process
/// that saves in a row seldom lets another in, and with sanitizers sixteen need a minute.
void save_in_the_end(TuningStore& store, const std::vector<Measurement>& rows,
                     const Winner& winner) {
    for (;;) {
        try {
            store.save(rows, winner);
            return;
        } catch (const sqlite::Failure& failure) {
            if (!failure.busy()) {
                throw;
            }
        }
    }
}

class Processes : public StoreFixture {
protected:
    /// Runs `body(number)` in as many children at once, which start together.
    template <class Body>
    void run_together(int children, Body body) {
        const SharedCounter ready;
        std::vector<Child> running;
        for (int number = 0; number < children; ++number) {
            running.emplace_back([&, number] {
                ++*ready;
                while (*ready < children) {
                    std::this_thread::yield();
                }
                body(number);
            });
        }
        for (const Child& child : running) {
            EXPECT_EQ(child.wait(), 0);
        }
    }

    void expect_intact() {
        EXPECT_EQ(open()->verify().problems, std::vector<std::string>{});
        EXPECT_FALSE(std::filesystem::exists(file_next_to_it(".bad-1")));
    }
};

TEST_F(Processes, LoseNoRowWhenSixteenSaveAtOnce) {
    constexpr int kProcesses = 16, kSaves = 20;
    run_together(kProcesses, [&](int number) {
        const auto store = open();
        for (int save = 0; save < kSaves; ++save) {
            const std::vector<Measurement> one{measurement_of(1, 1 + number * kSaves + save)};
            // Even processes share one key, odd ones have keys of their own.
            const std::int64_t bucket = number % 2 == 0 ? 0 : number * kSaves + save;
            save_in_the_end(*store, one, winner_of(bucket, 1 + number));
        }
    });
    const TuningStore::Check check = open()->verify();
    EXPECT_EQ(check.measurements, kProcesses * kSaves);
    EXPECT_EQ(check.winners, kProcesses / 2 * kSaves + 1);
    expect_intact();
}

TEST_F(Processes, CreateOneSchemaWhenAllOpenAtOnce) {
    for (int round = 0; round < 5; ++round) {
        std::filesystem::remove(path_);
        run_together(12, [&](int number) { open()->save({}, winner_of(number)); });
        EXPECT_EQ(open()->winners().size(), 12U);
    }
    expect_intact();
}

TEST_F(Processes, RenameADamagedFileOnceWhenAllOpenAtOnce) {
    for (int round = 0; round < 5; ++round) {
        write(std::string(10'000, 'x'));
        std::filesystem::remove(file_next_to_it(".bad-1"));
        run_together(12, [&](int number) { open()->save({}, winner_of(number)); });
        EXPECT_EQ(open()->winners().size(), 12U);
        EXPECT_FALSE(std::filesystem::exists(file_next_to_it(".bad-2")));
    }
}

TEST_F(Processes, KilledAtAnyMomentLoseNoSavedWinner) {
    constexpr int kKills = 30;
    std::mt19937 random(1);
    std::uniform_int_distribution<int> delay_us(500, 30'000);
    int saved = 0;
    for (int kill = 0; kill < kKills; ++kill) {
        const SharedCounter acknowledged;
        const SharedCounter opened;
        *acknowledged = saved;
        const Child child([&] {
            const auto store = open();
            *opened = 1;
            for (int next = *acknowledged;; ++next) {
                const std::vector<Measurement> one{measurement_of(next)};
                store->save(one, winner_of(next));
                *acknowledged = next + 1;
            }
        });
        // One of three is killed at any moment, one while it saves, and one after it has saved,
        // however long that takes.
        const auto is_due = [&] {
            return kill % 3 == 0 || (kill % 3 == 1 ? *opened == 1 : *acknowledged > saved);
        };
        for (int ms = 0; !is_due() && ms < 10'000; ++ms) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::this_thread::sleep_for(std::chrono::microseconds(delay_us(random)));
        child.kill();
        EXPECT_TRUE(WIFSIGNALED(child.wait()));

        const auto store = open();
        for (; saved < *acknowledged; ++saved) {
            ASSERT_EQ(store->find(key_of(saved), sizes_of(saved)), winner_of(saved))
                << "after kill " << kill;
            ASSERT_EQ(store->measurements().of(key_of(saved)).size(), 1U) << "after kill " << kill;
        }
    }
    EXPECT_GT(saved, 0);
    expect_intact();
}

TEST_F(Processes, CannotUseAStoreOfTheirParent) {
    auto store = open();
    store->save({}, winner_of(1));
    const Child child([&] {
        const std::vector<std::function<void()>> calls{
            [&] { store->find(key_of(1), sizes_of(1)); },
            [&] { store->nearest(key_of(1), sizes_of(1), 1); },
            [&] { store->save({}, winner_of(2)); },
            [&] { store->winners(); },
            [&] { store->measurements().of(key_of(1)); },
            [&] { store->verify(); },
            [&] { store->status(); },
            [&] { (void)store->bad_rows(); },
        };
        for (const auto& call : calls) {
            EXPECT_EQ(error_kind(call), ErrorKind::forked);
        }
        store.reset();
    });
    EXPECT_EQ(child.wait(), 0);
    store->save({}, winner_of(3));
    EXPECT_EQ(store->winners().size(), 2U);
}

TEST_F(Processes, FindDoesNotWaitForAWriter) {
    open()->save({}, winner_of(1));
    sqlite::Connection writer(path_, sqlite::Connection::Mode::read_write);
    const auto store = open();
    writer.execute("BEGIN EXCLUSIVE");
    EXPECT_NE(store_error([&] { store->find(key_of(1), sizes_of(1)); }), "");
    writer.execute("ROLLBACK");
    EXPECT_EQ(store->find(key_of(1), sizes_of(1)), winner_of(1));
}

TEST_F(Processes, FindADamagedRowWhileAnotherWrites) {
    open()->save({}, winner_of(1));
    sql("UPDATE winner SET noise = 0.5");
    const auto store = open();
    sqlite::Connection writer(path_, sqlite::Connection::Mode::read_write);
    const sqlite::Transaction writing(writer, sqlite::Transaction::Kind::write);
    EXPECT_EQ(store->find(key_of(1), sizes_of(1)), std::nullopt);
}

TEST_F(Processes, ReadWhereTheyMayNotWrite) {
    open()->save({}, winner_of(1));
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
    std::filesystem::permissions(path_, std::filesystem::perms(0444));
    const Child child([&] {
        // Root may write anywhere, so it becomes an ordinary user; what root owns is trusted.
        ASSERT_TRUE(geteuid() != 0 || setuid(65534) == 0);
        EXPECT_EQ(open(Access::read_only)->find(key_of(1), sizes_of(1)), winner_of(1));
        EXPECT_NE(store_error([&] { open(Access::read_only)->save({}, winner_of(2)); }), "");
        EXPECT_NE(refusal().find("write protected"), std::string::npos);
    });
    EXPECT_EQ(child.wait(), 0);
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0700));
}

}  // namespace
}  // namespace jitune::internal
