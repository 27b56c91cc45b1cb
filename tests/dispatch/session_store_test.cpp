// SPDX-License-Identifier: Apache-2.0
#include "dispatch/session_store.hpp"

#include <sqlite3.h>

#include <array>
#include <optional>
#include <vector>

#include "dispatch/answer/call.hpp"
#include "fixtures/engine_fixture.hpp"

namespace jitune::internal {
namespace {

using namespace std::chrono_literals;

/// Another program that holds the database for as long as it lives: nobody else can read it.
class Holder {
public:
    explicit Holder(const std::filesystem::path& path) {
        EXPECT_EQ(sqlite3_open(path.c_str(), &database_), SQLITE_OK);
        for (const char* statement : {"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE"}) {
            EXPECT_EQ(sqlite3_exec(database_, statement, nullptr, nullptr, nullptr), SQLITE_OK)
                << sqlite3_errmsg(database_);
        }
    }
    ~Holder() { sqlite3_close(database_); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

private:
    sqlite3* database_ = nullptr;
};

/// A call of the fake sum of n ones.
class OneSum {
public:
    static constexpr const char* kFirstCall = "the first sum";

    OneSum(const Kernel& kernel, FakeDevice& device, std::int64_t n)
        : kernel_(kernel), key_(fake_sum_key(device, kernel, fake_sum_problem(n))), sizes_{n} {}

    [[nodiscard]] CallKey memo_key(const StreamSite& site) const {
        return {site.serial(), key_.problem, {sizes_[0]}};
    }
    [[nodiscard]] DispatchKey table_key(const Device& /*device*/) const { return key_; }
    [[nodiscard]] std::span<const std::int64_t> sizes() const { return sizes_; }
    [[nodiscard]] std::span<void* const> arguments() const { return arrays_; }
    const Resolved& answer(Engine& engine, const DispatchKey& key, Device& device) const {
        return engine.resolve(key, {device, kernel_, fake_sum_problem(sizes_[0])});
    }
    [[nodiscard]] std::int32_t result() const { return result_; }

private:
    const Kernel& kernel_;
    DispatchKey key_;
    std::array<std::int64_t, 1> sizes_;
    std::vector<std::int32_t> values_ =
        std::vector<std::int32_t>(static_cast<std::size_t>(sizes_[0]), 1);
    std::int32_t result_ = 0;
    std::array<void*, 2> arrays_{values_.data(), &result_};
};

class SessionStoreTest : public EngineFixture {
protected:
    RecordKey key() { return kernel_.kernel_template.key(fake_sum_problem(), device_.info()); }

    Log log_{LogLevel::off};
};

TEST_F(SessionStoreTest, TellsAWinnerThatCannotBeReadFromNone) {
    SessionStore empty(options_, log_);
    EXPECT_EQ(empty.find(key(), fake_sum_problem().sizes, 0ms), std::nullopt);
    tune_before();
    SessionStore store(options_, log_);
    {
        const Holder holder(options_.database);
        expect_error(ErrorKind::store, "holds the database",
                     [&] { store.find(key(), fake_sum_problem().sizes, 0ms); });
        expect_error(ErrorKind::store, "holds the database",
                     [&] { store.find(key(), fake_sum_problem().sizes, 10ms); });
    }
    EXPECT_TRUE(store.find(key(), fake_sum_problem().sizes, 0ms));
    const Holder holder(options_.database);
    expect_error(ErrorKind::store, "", [&] { store.find(key(), fake_sum_problem().sizes, 0ms); });
}

TEST_F(SessionStoreTest, AProblemWhoseWinnerCannotBeReadIsNotTuned) {
    tune_before();
    std::optional<Holder> holder(options_.database);
    const auto engine = make_engine();
    const Resolved& makeshift = resolve(*engine);
    EXPECT_EQ(makeshift.info.origin, Origin::template_default);
    EXPECT_EQ(makeshift.info.configuration, kFakeDefault);
    expect_right(makeshift);
    EXPECT_EQ(&resolve(*engine), &makeshift);
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_EQ(warnings_.size(), 1U);
    holder.reset();
    EXPECT_EQ(info(*engine).origin, Origin::stored);
    EXPECT_EQ(info(*engine).configuration, kFastest);
    EXPECT_EQ(engine->counters().tunings, 0);
    EXPECT_EQ(warnings_.size(), 1U);
}

TEST_F(SessionStoreTest, NoThreadRemembersTheLaunchOfAMakeshift) {
    tune_before();
    std::optional<Holder> holder(options_.database);
    const auto engine = make_engine();
    const OneSum call(kernel_, device_, 1000);
    const auto remembered = [&] {
        return CallMemo::here().find(call.memo_key(device_.site())) != nullptr;
    };
    launch(*engine, device_.site(), call, nullptr);
    EXPECT_EQ(call.result(), 1000);
    EXPECT_FALSE(remembered());
    holder.reset();
    launch(*engine, device_.site(), call, nullptr);
    EXPECT_TRUE(remembered());
}

TEST_F(SessionStoreTest, AnOpenDatabaseThatIsHeldIsReadLaterToo) {
    tune_before(1000);
    tune_before(100'000);
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine, 1000).origin, Origin::stored);
    std::optional<Holder> holder(options_.database);
    EXPECT_EQ(info(*engine, 1000).origin, Origin::stored);
    EXPECT_EQ(info(*engine, 100'000).origin, Origin::template_default);
    holder.reset();
    EXPECT_EQ(info(*engine, 100'000).origin, Origin::stored);
    EXPECT_EQ(engine->counters().tunings, 0);
}

TEST_F(SessionStoreTest, TunesAndStoresOnceAHeldDatabaseProvesToHaveNoWinner) {
    make_engine()->store();
    std::optional<Holder> holder(options_.database);
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    holder.reset();
    EXPECT_EQ(info(*engine).origin, Origin::tuned);
    EXPECT_EQ(info(*make_engine()).origin, Origin::stored);
}

TEST_F(SessionStoreTest, AFrozenSessionCountsAProblemOnceThoughTheDatabaseWasHeld) {
    tune_before();
    options_.frozen = true;
    std::optional<Holder> holder(options_.database);
    const auto engine = make_engine();
    EXPECT_EQ(info(*engine).origin, Origin::template_default);
    EXPECT_EQ(info(*engine, 100'000).origin, Origin::template_default);
    EXPECT_EQ(engine->counters().unserved, 2);
    holder.reset();
    EXPECT_EQ(info(*engine).origin, Origin::stored);
    EXPECT_EQ(info(*engine, 100'000).origin, Origin::template_default);
    EXPECT_EQ(engine->counters().unserved, 2);
}

TEST_F(SessionStoreTest, OtherPoliciesAnswerWithTheStoredWinnerOnceItCanBeRead) {
    tune_before();
    for (const TunePolicy policy : {TunePolicy::offline, TunePolicy::template_default}) {
        options_.on_miss = policy;
        std::optional<Holder> holder(options_.database);
        const auto engine = make_engine();
        EXPECT_EQ(info(*engine).origin, Origin::template_default);
        holder.reset();
        EXPECT_EQ(info(*engine).origin, Origin::stored);
    }
}

}  // namespace
}  // namespace jitune::internal
