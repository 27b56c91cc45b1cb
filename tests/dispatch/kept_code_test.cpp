// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "dispatch/answer/answers.hpp"
#include "fixtures/call_fixture.hpp"
#include "fixtures/ordinary_user.hpp"
#include "tuner_db/file/sqlite.hpp"
#include "tuning/record/record_maker.hpp"

namespace jitune::internal {
namespace {

/// The code of defaults that sessions keep for later ones.
class KeptCode : public CallFixture {
protected:
    KeptCode() : CallFixture(TunePolicy::offline) { device_.compiler_key_ = "fake 1"; }

    /// How many instances a session that calls once compiles.
    int compiles_of_a_session() {
        const int before = device_.compiles();
        auto engine = this->engine();
        call(*engine, 1000);
        return device_.compiles() - before;
    }

    std::vector<KeptBinary> kept() {
        const Task task{device_, kernel_, fake_sum_problem()};
        const Configuration standard = task.default_configuration();
        return TuningStore::open(options_.database, TuningStore::Access::read_write, Log())
            ->binaries(kept_place(task, standard, task.instance(standard)));
    }

    void sql(const std::string& text) {
        sqlite::Connection(options_.database.string(), sqlite::Connection::Mode::read_write)
            .execute(text);
    }

    std::int64_t answer_to(const std::string& query) {
        return sqlite::Connection(options_.database.string(), sqlite::Connection::Mode::read_only)
            .integer(query);
    }
};

TEST_F(KeptCode, IsCompiledOnceForAllSessions) {
    EXPECT_EQ(compiles_of_a_session(), 1);
    EXPECT_EQ(compiles_of_a_session(), 0);
    ASSERT_EQ(kept().size(), 1U);
    EXPECT_EQ(kept()[0].kernel, "sum");
    EXPECT_EQ(kept()[0].compiler, "fake 1");
    for (const TunePolicy policy : {TunePolicy::template_default, TunePolicy::background}) {
        options_.on_miss = policy;
        options_.worker = "none";
        EXPECT_EQ(compiles_of_a_session(), 0);
    }
    EXPECT_EQ(warnings_, std::vector<std::string>{});
}

TEST_F(KeptCode, IsWrittenSoonSinceTheProcessMayBeKilled) {
    const auto engine = this->engine();
    call(*engine, 1000);
    await([&] { return kept().size() == 1; });
}

TEST_F(KeptCode, ServesOtherSizesAndAnswersAsTheDefault) {
    compiles_of_a_session();
    auto engine = this->engine();
    for (const std::int64_t n : {10, 1000, 100'000}) {
        call(*engine, n);
        EXPECT_EQ(info(*engine, n).origin, Origin::template_default);
    }
    EXPECT_EQ(engine->counters().compiles, 0);
}

TEST_F(KeptCode, OfAnotherCompilerIsCompiledAgain) {
    compiles_of_a_session();
    device_.compiler_key_ = "fake 2";
    EXPECT_EQ(compiles_of_a_session(), 1);
    EXPECT_EQ(compiles_of_a_session(), 0);
    device_.compiler_key_ = "fake 1";
    EXPECT_EQ(compiles_of_a_session(), 0) << "an app beside it has the first one";
}

TEST_F(KeptCode, OfAnotherCompilerAnswersWhereThereIsNone) {
    compiles_of_a_session();
    device_.compiler_key_ = "none";
    device_.before_compile = [](std::span<const Instance>) {
        throw Error(ErrorKind::unavailable, "no compiler");
    };
    EXPECT_EQ(compiles_of_a_session(), 0);
    sql("DELETE FROM binary");
    expect_error(ErrorKind::unavailable, "no compiler", [&] { call(*engine(), 1000); });
}

TEST_F(KeptCode, ThatIsDamagedIsCompiledAgain) {
    compiles_of_a_session();
    sql("UPDATE binary SET image = x'00'");
    EXPECT_EQ(compiles_of_a_session(), 1);
    EXPECT_TRUE(has_warned());
    EXPECT_EQ(compiles_of_a_session(), 0);
}

TEST_F(KeptCode, ThatDoesNotLoadIsCompiledAgain) {
    compiles_of_a_session();
    std::vector<KeptBinary> bad = kept();
    bad.at(0).image = "an image of another kind";
    TuningStore::open(options_.database, TuningStore::Access::read_write, Log())->keep(bad);
    EXPECT_EQ(compiles_of_a_session(), 1);
    EXPECT_EQ(compiles_of_a_session(), 0);
}

TEST_F(KeptCode, SaysOnceADayThatItIsUsed) {
    compiles_of_a_session();
    const std::string today = kept().at(0).used_at;
    std::vector<KeptBinary> old = kept();
    old[0].used_at = "2020-01-01T00:00:00Z";
    TuningStore::open(options_.database, TuningStore::Access::read_write, Log())->keep(old);
    EXPECT_EQ(compiles_of_a_session(), 0);
    EXPECT_GE(kept().at(0).used_at, today);
    const std::int64_t row = answer_to("SELECT rowid FROM binary");
    compiles_of_a_session();
    EXPECT_EQ(answer_to("SELECT rowid FROM binary"), row) << "a second write on one day";
}

TEST_F(KeptCode, IsNotWrittenByAFrozenSessionWhichReadsIt) {
    TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    options_.frozen = true;
    EXPECT_EQ(compiles_of_a_session(), 1);
    EXPECT_EQ(answer_to("SELECT count(*) FROM binary"), 0);
    options_.frozen = false;
    options_.record = Record::nothing;
    compiles_of_a_session();
    EXPECT_EQ(answer_to("SELECT count(*) FROM binary"), 1) << "code is no record of calls";
    options_.frozen = true;
    EXPECT_EQ(compiles_of_a_session(), 0);
}

TEST_F(KeptCode, IsNotWrittenWhereTheDatabaseMayOnlyBeRead) {
    TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0555));
    {
        const OrdinaryUser user(options_.database);
        EXPECT_EQ(compiles_of_a_session(), 1);
    }
    std::filesystem::permissions(dir_.path(), std::filesystem::perms(0700));
    EXPECT_EQ(warnings_, std::vector<std::string>{});
    EXPECT_EQ(answer_to("SELECT count(*) FROM binary"), 0);
}

TEST_F(KeptCode, IsNotKeptWithoutADatabase) {
    options_.database.clear();
    EXPECT_EQ(compiles_of_a_session(), 1);
    EXPECT_EQ(compiles_of_a_session(), 1);
}

TEST_F(KeptCode, IsNotKeptWhereToCompileCostsNothing) {
    device_.compiler_key_ = "";
    compiles_of_a_session();
    EXPECT_EQ(answer_to("SELECT count(*) FROM binary"), 0);
}

TEST_F(KeptCode, IsWrittenLaterWhereOthersHoldTheDatabase) {
    TuningStore::open(options_.database, TuningStore::Access::read_write, Log());
    auto engine = this->engine();
    {
        sqlite::Connection others(options_.database.string(), sqlite::Connection::Mode::read_write);
        const sqlite::Transaction held(others, sqlite::Transaction::Kind::write);
        call(*engine, 1000);
        await([&] { return engine->counters().store_errors > 0; });
    }
    engine.reset();
    EXPECT_EQ(kept().size(), 1U);
}

}  // namespace
}  // namespace jitune::internal
