// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan_work.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "fixtures/engine_fixture.hpp"
#include "plan/plan_folder.hpp"
#include "plan/task_name.hpp"
#include "support/process_identity.hpp"
#include "sweep/plan_collect.hpp"

namespace jitune::internal {
namespace {

namespace fs = std::filesystem;
using Kind = ProblemState::Kind;

class RowsOfRanks : public SweepObserver {
public:
    void done(const SweepRow& row) override { rows[row.problem] = row; }
    void progress(const SweepState& /*state*/) override {}

    std::map<std::size_t, SweepRow> rows;
};

/// Tasks with fake devices on one plan.
class PlanWorkTest : public EngineFixture {
protected:
    static constexpr const char* kPlan = "0123456789abcdef";

    PlanWorkTest() {
        ::setenv("TMPDIR", local_.path().c_str(), 1);
        options_.worker = "none";
        options_.strategy = "exhaustive";
        for (int i = 0; i < 3; ++i) {
            const std::int64_t n = std::int64_t{4} << i;
            problems_.push_back({fake_sum_problem(n),
                                 [this](const Device&) -> const Kernel& { return kernel_; },
                                 fmt::format("sum {}", n), static_cast<double>(4 * n)});
        }
    }
    ~PlanWorkTest() override { ::unsetenv("TMPDIR"); }

    static std::string task(int number) {
        return task_name(fmt::format("host=far boot=b pids=1 pid={} start=1", number), 0);
    }
    static std::string dead_task() {
        const std::string identity = process_identity();
        return task_name(identity.substr(0, identity.rfind('=') + 1) + "1", 0);
    }

    ClaimFolder claims(const std::string& name) {
        return {class_, folder_.part(), deliveries_, ClaimScope{problems_.size(), 1}, name};
    }

    PlanEnd work(const std::string& name, const Deadline& until = {}) {
        LocalFolder local(kPlan, name);
        options_.database = local.database();
        const auto engine = make_engine();
        ClaimFolder its = claims(name);
        PlanWork work(*engine, device_, {kPlan, name, its, deliveries_, local}, problems_, {},
                      until, stop_, observer_);
        return work.run();
    }

    /// Until the task at work has looked twice whether it is to stop: it shows life after that.
    void let_watch(const std::string& name) {
        constexpr std::chrono::seconds kBetweenSigns{31};
        const fs::path life = class_.path() / kLives / name;
        for (int i = 0; i < 2; ++i) {
            fs::remove(life);
            clock_.advance(kBetweenSigns);
            await([&] { return fs::exists(life); }, std::chrono::milliseconds(0));
        }
    }

    CollectedClass collect() {
        const auto store = TuningStore::open(database_, TuningStore::Access::read_write, Log());
        ClaimFolder its = claims(task(99));
        return collect_class(*store, its, deliveries_, Log(LogLevel::off));
    }

    std::size_t winners() {
        return TuningStore::open(database_, TuningStore::Access::read_only, Log())
            ->winners()
            .size();
    }

    std::vector<Delivery> delivered() { return deliveries_.in_shard(0); }

    /// How many measurements of it are not of a race.
    std::ptrdiff_t searches(const Delivery& one) {
        std::int64_t all = 0;
        const auto rows = TuningStore::open(file_of(one), TuningStore::Access::read_only, Log())
                              ->measurements()
                              .after(all);
        return std::count_if(rows.begin(), rows.end(), [](const Measurement& row) {
            return row.conditions.find("interleaved") == std::string::npos;
        });
    }

    fs::path file_of(const Delivery& one) {
        return class_.path() / "results" / "0000" / one.name();
    }

    const TempDir local_;
    const PlanFolder folder_ = PlanFolder::make(dir_.path() / "plan");
    const SharedFolder class_ = folder_.of_class("a class");
    const Deliveries deliveries_ = folder_.deliveries(class_, 1);
    const fs::path database_ = dir_.path() / "collected.db";
    std::vector<SweepProblem> problems_;
    std::atomic<bool> stop_{false};
    RowsOfRanks observer_;
};

TEST_F(PlanWorkTest, DeliversEachProblemAsADatabaseOfItsOwn) {
    EXPECT_EQ(work(task(1)), PlanEnd::nothing_left);
    ASSERT_EQ(delivered().size(), 3U);
    for (const Delivery& one : delivered()) {
        EXPECT_EQ(one.kind, Delivery::Kind::result);
        const auto store = TuningStore::open(file_of(one), TuningStore::Access::read_only, Log());
        const std::vector<Winner> rows = store->winners();
        ASSERT_EQ(rows.size(), 1U);
        EXPECT_EQ(rows[0].sizes, fmt::format("n={}", 4 << one.claim.rank));
        EXPECT_FALSE(store->with_image(rows[0])->image.empty());
        std::int64_t last = 0;
        for (const Measurement& measurement : store->measurements().after(last)) {
            EXPECT_EQ(measurement.sizes, rows[0].sizes);
        }
        EXPECT_GT(last, 0);
    }
    EXPECT_EQ(observer_.rows.size(), 3U);
    EXPECT_EQ(observer_.rows.at(2).bytes, 64);
    EXPECT_TRUE(fs::is_empty(local_.path()));
}

TEST_F(PlanWorkTest, CollectsTheSameHoweverOften) {
    work(task(1));
    EXPECT_EQ(collect().count(Kind::done), 3U);
    const auto all = [&] {
        const auto store = TuningStore::open(database_, TuningStore::Access::read_only, Log());
        std::int64_t last = 0;
        return std::pair(store->winners(), store->measurements().after(last));
    };
    const auto once = all();
    EXPECT_EQ(once.first.size(), 3U);
    EXPECT_EQ(collect().merged, 3U);
    EXPECT_EQ(all(), once);
}

TEST_F(PlanWorkTest, ATaskThatIsStoppedBeforeItsFirstCandidateHandsTheProblemBack) {
    device_.before_compile = [&](std::span<const Instance>) {
        stop_ = true;
        let_watch(task(1));
        throw Error(ErrorKind::unavailable, "stopped before a candidate was ready");
    };
    EXPECT_EQ(work(task(1)), PlanEnd::stopped);
    ASSERT_EQ(observer_.rows.size(), 1U);
    EXPECT_EQ(observer_.rows.at(0).outcome, SweepRow::Outcome::handed_back);
    ClaimFolder its = claims(task(98));
    for (const ProblemState& state : its.states()) {
        EXPECT_EQ(state, ProblemState{.rank = state.rank}) << "nothing counts against it";
    }
}

TEST_F(PlanWorkTest, ATaskThatIsStoppedHandsBackWhatTheNextOneGoesOnWith) {
    int samples = 0;
    device_.before_sample = [&] {
        if (++samples == 40) {
            stop_ = true;
            let_watch(task(1));
        }
    };
    EXPECT_EQ(work(task(1)), PlanEnd::stopped);
    device_.before_sample = nullptr;
    ASSERT_EQ(observer_.rows.size(), 1U);
    EXPECT_EQ(observer_.rows.at(0).outcome, SweepRow::Outcome::handed_back);
    EXPECT_EQ(observer_.rows.at(0).device, device_.info().id);
    ASSERT_EQ(delivered().size(), 1U);
    EXPECT_EQ(delivered()[0].kind, Delivery::Kind::part);
    std::int64_t before = 0;
    TuningStore::open(file_of(delivered()[0]), TuningStore::Access::read_only, Log())
        ->measurements()
        .after(before);
    EXPECT_GT(before, 1);
    ClaimFolder its = claims(task(98));
    for (const ProblemState& state : its.states()) {
        EXPECT_EQ(state, ProblemState{.rank = state.rank}) << "nothing counts against it";
    }
    stop_ = false;
    EXPECT_EQ(work(task(2)), PlanEnd::nothing_left);
    std::map<std::size_t, std::ptrdiff_t> searched;  // by the tasks that were not stopped
    for (const Delivery& one : delivered()) {
        if (one.kind == Delivery::Kind::result) {
            searched[one.claim.rank] = searches(one);
        }
    }
    EXPECT_LT(searched.at(0), searched.at(1)) << "what was measured is only raced again";
    const CollectedClass found = collect();
    EXPECT_EQ(found.count(Kind::done), 3U);
    EXPECT_EQ(found.merged, 4U);
}

TEST_F(PlanWorkTest, WhatADeadTaskHasMeasuredIsDelivered) {
    const std::string dead = dead_task();
    {
        LocalFolder local(kPlan, dead);
        local.keep();  // killed
        options_.database = local.database();
        const auto engine = make_engine();
        resolve(*engine, 4);
        ClaimFolder its = claims(dead);
        ASSERT_EQ(its.claim()->rank, 0U);
    }
    EXPECT_EQ(work(task(2)), PlanEnd::nothing_left);
    EXPECT_EQ(observer_.rows.at(0).outcome, SweepRow::Outcome::skipped) << "it was complete";
    EXPECT_EQ(collect().count(Kind::done), 3U);
    EXPECT_TRUE(fs::is_empty(local_.path()));
}

TEST_F(PlanWorkTest, ADeviceOnWhichNothingWorksLeavesTheRestToOthers) {
    problems_.resize(1, problems_[0]);
    for (int i = 0; i < 9; ++i) {
        problems_.push_back(problems_[0]);
    }
    device_.kernel = wrong_sum;
    EXPECT_EQ(work(task(1)), PlanEnd::unfit);
    const CollectedClass found = collect();
    EXPECT_EQ(found.count(Kind::failed), 0U) << "another task may do better";
    EXPECT_EQ(found.count(Kind::waiting), 10U);
    EXPECT_FALSE(found.reasons.empty());
}

TEST_F(PlanWorkTest, BeginsNothingThatMayNotEndInTime) {
    const Deadline soon = clock_.now() + std::chrono::seconds(6);
    EXPECT_EQ(work(task(1), soon), PlanEnd::no_time);
    EXPECT_TRUE(delivered().empty());
}

TEST_F(PlanWorkTest, SaysThatNothingIsLeftHoweverLittleTimeThereIs) {
    work(task(1));
    const Deadline soon = clock_.now() + std::chrono::seconds(6);
    EXPECT_EQ(work(task(2), soon), PlanEnd::nothing_left);
}

TEST_F(PlanWorkTest, KeepsWhatItCannotDeliverAndSaysWhere) {
    device_.before_sample = [&] { fs::remove_all(folder_.root().path()); };
    expect_error(ErrorKind::store, "plan", [&] { work(task(1)); });
    EXPECT_FALSE(fs::is_empty(local_.path()));
    EXPECT_TRUE(has_warned());
}

TEST_F(PlanWorkTest, AProblemWhoseResultIsDamagedWaitsAgain) {
    work(task(1));
    std::ofstream(file_of(delivered()[1]), std::ios::trunc) << "no database";
    const CollectedClass found = collect();
    EXPECT_EQ(found.lost, std::vector<std::size_t>{1});
    EXPECT_EQ(found.damaged.size(), 1U);
    EXPECT_EQ(winners(), 2U);
    EXPECT_EQ(work(task(2)), PlanEnd::nothing_left);
    const CollectedClass again = collect();
    EXPECT_EQ(again.count(Kind::done), 3U);
    EXPECT_TRUE(again.damaged.empty());
    EXPECT_EQ(winners(), 3U);
}

TEST_F(PlanWorkTest, AResultOfAnotherUserOrBehindALinkIsNotRead) {
    work(task(1));
    const fs::path file = file_of(delivered()[0]);
    const fs::path moved = dir_.path() / "elsewhere.db";
    fs::rename(file, moved);
    fs::create_symlink(moved, file);
    const fs::path open = file_of(delivered()[1]);
    fs::permissions(open, fs::perms(0666));
    EXPECT_EQ(collect().damaged.size(), 2U);
    EXPECT_EQ(winners(), 1U);
}

/// Delivers the result of a problem again, as another task that has found something else.
void deliver_dispute(const Deliveries& deliveries, const fs::path& file, const Delivery& of,
                     const std::string& task, double low, double high) {
    const auto from = TuningStore::open(file, TuningStore::Access::read_only, Log());
    Winner winner = from->with_image(from->winners().at(0)).value();
    winner.configuration = "block=64 items=1";
    winner.certainty.speed_up_low = low;
    winner.certainty.speed_up_high = high;
    const TempDir local;
    const fs::path other = local.path() / "other.db";
    TuningStore::open(other, TuningStore::Access::read_write, Log())->save({}, winner);
    Delivery second = of;
    second.claim.task = task;
    deliveries.put(other, second);
}

TEST_F(PlanWorkTest, TwoTasksThatDisagreeBeyondTheirIntervalsAreRacedOnce) {
    work(task(1));
    const Delivery first = delivered()[0];
    deliver_dispute(deliveries_, file_of(first), first, task(5), 50, 60);
    const CollectedClass found = collect();
    EXPECT_EQ(found.disputed, std::vector<std::size_t>{0});
    observer_.rows.clear();
    EXPECT_EQ(work(task(2)), PlanEnd::nothing_left);
    ASSERT_EQ(observer_.rows.size(), 1U);
    EXPECT_EQ(observer_.rows.at(0).outcome, SweepRow::Outcome::tuned);
    EXPECT_EQ(observer_.rows.at(0).configuration, kFastest);
    EXPECT_TRUE(collect().disputed.empty());
    for (const Delivery& one : delivered()) {
        if (one.claim.round == 2) {
            deliver_dispute(deliveries_, file_of(one), one, task(6), 70, 80);
            break;
        }
    }
    const CollectedClass settled = collect();
    EXPECT_TRUE(settled.disputed.empty()) << "not raced again and again";
    EXPECT_EQ(settled.count(Kind::done), 3U);
}

TEST_F(PlanWorkTest, TasksWhoseIntervalsMeetAgree) {
    work(task(1));
    const Delivery first = delivered()[0];
    deliver_dispute(deliveries_, file_of(first), first, task(5), 0.1, 100);
    EXPECT_TRUE(collect().disputed.empty());
}

TEST(PlanFolder, HoldsOnePlan) {
    const TempDir dir;
    PlanFolder::make(dir.path() / "plan");
    expect_error(ErrorKind::usage, "not empty", [&] { PlanFolder::make(dir.path() / "plan"); });
    expect_error(ErrorKind::usage, "holds no plan", [&] { PlanFolder::open(dir.path()); });
}

TEST(PlanFolder, RemovesWhatDeadTasksHaveLeftUnfinished) {
    const TempDir dir;
    const PlanFolder folder = PlanFolder::make(dir.path() / "plan");
    const std::string identity = process_identity();
    const std::string dead = task_name(identity.substr(0, identity.rfind('=') + 1) + "1", 0);
    folder.part().touch("x." + dead);
    static_cast<void>(folder.part().make("shard.0003." + dead));
    folder.part().touch("x." + task_name(identity, 0));
    const SharedFolder lives = folder.of_class("a class").make(kLives);
    lives.touch(dead);
    lives.touch(task_name(identity, 0));
    folder.clean();
    EXPECT_EQ(lives.names(), std::vector<std::string>{task_name(identity, 0)});
    EXPECT_EQ(folder.part().names(), std::vector<std::string>{"x." + task_name(identity, 0)});
}

}  // namespace
}  // namespace jitune::internal
