// SPDX-License-Identifier: Apache-2.0
#include "tuner_db/calls/lease.hpp"

#include <fmt/format.h>

#include "fixtures/store_fixture.hpp"
#include "support/process_identity.hpp"

namespace jitune::internal {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLong = 1h;

class LeaseTest : public StoreFixture {
protected:
    static std::string me(int number) {
        return fmt::format("{} lease={}", process_identity(), number);
    }

    /// Writes a row as another process might.
    void put(const std::string& owner, const std::string& expires_at) {
        sql(fmt::format("UPDATE lease SET owner = '{}', expires_at = {}", owner, expires_at));
    }
    /// Of SQLite, in ms.
    static std::string now(std::chrono::milliseconds after) {
        return fmt::format("CAST(unixepoch() AS INTEGER) * 1000 + ({})", after.count());
    }
};

TEST_F(LeaseTest, OneOwnerHoldsIt) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    EXPECT_EQ(store->leases().take(key_of(1), me(2), kLong), me(1));
    EXPECT_EQ(open()->leases().take(key_of(1), me(2), kLong), me(1));
}

TEST_F(LeaseTest, IsForOneKey) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    EXPECT_EQ(store->leases().take(key_of(2), me(2), kLong), "");
    RecordKey other = key_of(1);
    other.types += " ";
    EXPECT_EQ(store->leases().take(other, me(2), kLong), "");
}

TEST_F(LeaseTest, IsProlongedByItsOwner) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    put(me(1), now(1s));
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    sql(fmt::format("DELETE FROM lease WHERE expires_at < {}", now(30min)));
    EXPECT_EQ(store->leases().take(key_of(1), me(2), kLong), me(1));
}

TEST_F(LeaseTest, OnlyItsOwnerCanReleaseIt) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    store->leases().release(key_of(1), me(2));
    EXPECT_EQ(store->leases().take(key_of(1), me(2), kLong), me(1));
    store->leases().release(key_of(1), me(1));
    EXPECT_EQ(store->leases().take(key_of(1), me(2), kLong), "");
}

TEST_F(LeaseTest, IsFreeWhenItHasExpired) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    put(me(1), now(-2s));
    EXPECT_EQ(store->leases().take(key_of(1), me(2), kLong), "");
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), me(2));
}

TEST_F(LeaseTest, IsFreeWhenItsOwnerHasEnded) {
    EXPECT_EQ(Child([&] { EXPECT_EQ(open()->leases().take(key_of(1), me(1), kLong), ""); }).wait(),
              0);
    EXPECT_EQ(open()->leases().take(key_of(1), me(2), kLong), "");
}

TEST_F(LeaseTest, OfAnotherMachineCountsUntilItExpires) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    put("host=elsewhere boot=1 pids=1 pid=1 start=1", now(30min));
    EXPECT_NE(store->leases().take(key_of(1), me(2), kLong), "");
}

TEST_F(LeaseTest, OfAClockThatIsFarAheadIsVoid) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    for (const std::string& time : {now(3h), std::string("9223372036854775807")}) {
        put("host=elsewhere boot=1 pids=1 pid=1 start=1", time);
        EXPECT_EQ(store->leases().take(key_of(1), me(2), kLong), "") << time;
    }
}

TEST_F(LeaseTest, OfOwnersThatDisappearedIsRemoved) {
    const auto store = open();
    EXPECT_EQ(store->leases().take(key_of(1), me(1), kLong), "");
    put("host=elsewhere boot=1 pids=1 pid=1 start=1", now(-3h));
    EXPECT_EQ(store->leases().take(key_of(2), me(2), kLong), "");
    sql("UPDATE lease SET owner = NULL WHERE (SELECT count(*) FROM lease) <> 1");  // would fail
}

TEST_F(LeaseTest, CannotBeTakenInAReadOnlyStore) {
    open()->save({}, winner_of(1));
    const auto store = open(Access::read_only);
    EXPECT_NE(store_error([&] { store->leases().take(key_of(1), me(1), kLong); }), "");
}

}  // namespace
}  // namespace jitune::internal
