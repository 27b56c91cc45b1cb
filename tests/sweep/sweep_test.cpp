// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "fixtures/engine_fixture.hpp"
#include "tuner_db/winners/trust.hpp"

namespace jitune::internal {
namespace {

/// Keeps the rows that are done.
class Rows : public SweepObserver {
public:
    void done(const SweepRow& row) override {
        rows_.push_back(row);
        ++count_;
    }
    void progress(const SweepState& state) override { last_ = state; }

    [[nodiscard]] const std::vector<SweepRow>& rows() const { return rows_; }
    /// May be asked while a sweep runs.
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] const SweepState& last() const { return last_; }

private:
    std::vector<SweepRow> rows_;
    std::atomic<std::size_t> count_{0};
    SweepState last_;
};

/// Sweeps of the fake sum on two devices of one class.
class SweepTest : public EngineFixture {
protected:
    SweepTest() { second_.kernel = right_sum; }

    void add_problem(std::int64_t n) {
        problems_.push_back({fake_sum_problem(n),
                             [this](const Device&) -> const Kernel& { return kernel_; },
                             fmt::format("sum {}", n), static_cast<double>(4 * n)});
    }

    /// Sizes of different buckets.
    void add_problems(int count) {
        for (int i = 0; i < count; ++i) {
            add_problem(std::int64_t{4} << i);
        }
    }

    SweepResult sweep(SweepSearch search = {}) {
        Sweep sweep(*engine_, sweep_devices(*engine_, "cuda"), problems_, std::move(search), stop_,
                    observer_);
        return sweep.run();
    }

    std::vector<std::int64_t> sizes(const SweepResult& result) {
        std::vector<std::int64_t> all;
        for (const SweepRow& row : result.rows) {
            all.push_back(problems_.at(row.problem).problem.sizes[0]);
        }
        return all;
    }

    std::size_t stored() { return engine_->store()->winners().size(); }

    /// How many measurements of all winners' keys there are.
    std::size_t measured() {
        std::size_t count = 0;
        for (const Winner& winner : engine_->store()->winners()) {
            count += engine_->store()->measurements().of(winner.key).size();
        }
        return count;
    }

    FakeDevice second_{"cuda:1"};
    std::unique_ptr<Engine> engine_ = make_two();
    std::vector<SweepProblem> problems_;
    std::atomic<bool> stop_{false};
    Rows observer_;

private:
    std::unique_ptr<Engine> make_two() {
        options_.worker = "none";
        options_.strategy = "exhaustive";
        return make_engine_on({&device_, &second_});
    }
};

void meet(std::atomic<bool>& mine, const std::atomic<bool>& other) {
    mine = true;
    for (int i = 0; i < 2000 && !other; ++i) {  // both devices are at work at the same time
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

TEST_F(SweepTest, SharesTheProblemsOutOverTheDevices) {
    add_problems(8);
    std::atomic<bool> first{false}, second{false};
    std::atomic<int> now{0}, now_second{0}, most{0};
    const auto counted = [&most](std::atomic<int>& inside) {
        most = std::max(most.load(), ++inside);
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        --inside;
    };
    device_.before_sample = [&] { meet(first, second), counted(now); };
    second_.before_sample = [&] { meet(second, first), counted(now_second); };
    const SweepResult result = sweep();
    EXPECT_EQ(sizes(result), (std::vector<std::int64_t>{4, 8, 16, 32, 64, 128, 256, 512}));
    EXPECT_EQ(result.count(SweepRow::Outcome::tuned), 8U);
    EXPECT_EQ(most, 1);
    std::set<std::string> devices;
    for (const SweepRow& row : result.rows) {
        devices.insert(row.device);
    }
    EXPECT_EQ(devices, (std::set<std::string>{"cuda:0", "cuda:1"}));
    EXPECT_EQ(stored(), 8U);
    EXPECT_EQ(result.device, "cuda:0, cuda:1");
    EXPECT_EQ(result.device_name, "Fake");
}

TEST_F(SweepTest, TellsTheObserverOfEachRowAndOfProgress) {
    add_problems(6);
    const SweepResult result = sweep();
    std::multiset<std::pair<std::size_t, std::string>> told, returned;
    for (const SweepRow& row : observer_.rows()) {
        told.emplace(row.problem, row.device);
    }
    for (const SweepRow& row : result.rows) {
        returned.emplace(row.problem, row.device);
        EXPECT_DOUBLE_EQ(row.gb_per_s(), problems_[row.problem].bytes / row.median_ns);
    }
    EXPECT_EQ(told, returned);
    EXPECT_EQ(observer_.last().problems, 6U);
    EXPECT_FALSE(observer_.last().runs.empty());
}

TEST_F(SweepTest, TunesEachProblemForEachClassOfDevices) {
    second_.info_.device_class = "another";
    add_problems(3);
    const SweepResult result = sweep();
    EXPECT_EQ(sizes(result), (std::vector<std::int64_t>{4, 4, 8, 8, 16, 16}));
    EXPECT_EQ(result.problems, 6U);
    EXPECT_EQ(result.rows[2].device, "cuda:0");
    EXPECT_EQ(result.rows[3].device, "cuda:1");
    EXPECT_EQ(stored(), 6U);
}

TEST_F(SweepTest, OneProblemTakesOneDevice) {
    add_problems(1);
    EXPECT_EQ(sweep().rows.size(), 1U);
    EXPECT_EQ(std::min(device_.runs(), second_.runs()), 0);
}

TEST_F(SweepTest, ALostDeviceLeavesItsProblemsToTheOthers) {
    add_problems(6);
    std::atomic<bool> lost{false};
    second_.lost_in_sample = [&] { return lost = true; };
    device_.before_sample = [&] { meet(lost, lost); };
    const SweepResult result = sweep();
    EXPECT_EQ(result.count(SweepRow::Outcome::tuned), 6U);
    for (const SweepRow& row : result.rows) {
        EXPECT_EQ(row.device, "cuda:0") << row.note;
    }
    ASSERT_FALSE(warnings_.empty());
    EXPECT_NE(warnings_[0].find("another device of its class takes it"), std::string::npos);
}

TEST_F(SweepTest, EndsWhereAllDevicesAreLost) {
    add_problems(4);
    device_.lost_in_sample = second_.lost_in_sample = [] { return true; };
    expect_error(ErrorKind::device, "fell off the bus", [&] { sweep(); });
}

TEST_F(SweepTest, EndsWhereItsArgumentsAreWrongAndKeepsWhatItHas) {
    add_problems(3);
    problems_[2].kernel = [](const Device&) -> const Kernel& {
        throw Error(ErrorKind::usage, "of no use");
    };
    expect_error(ErrorKind::usage, "of no use", [&] { sweep(); });
    EXPECT_EQ(stored(), observer_.rows().size());
    EXPECT_GE(stored(), 1U);
}

TEST_F(SweepTest, StopsOnAllDevicesAndGoesOnLater) {
    add_problems(8);
    device_.before_sample = second_.before_sample = [this] {
        stop_ = stop_ || observer_.count() > 1;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    };
    const SweepResult result = sweep();
    EXPECT_TRUE(result.interrupted);
    EXPECT_LT(result.rows.size(), 8U);
    EXPECT_EQ(stored(), result.rows.size());
    EXPECT_EQ(result.problems, 8U);
    stop_ = false;
    device_.before_sample = second_.before_sample = {};
    EXPECT_EQ(sweep().rows.size(), 8U);
    EXPECT_EQ(stored(), 8U);
}

TEST_F(SweepTest, CountsTwoTuningsOfAProblemAsOne) {
    add_problems(2);
    problems_.push_back(problems_[0]);
    problems_.back().again_of = 0;
    const SweepResult result = sweep();
    EXPECT_EQ(result.rows.size(), 3U);
    EXPECT_EQ(result.problems, 2U);
    EXPECT_EQ(result.begun, 2U);
}

TEST_F(SweepTest, BeginsNoProblemAfterItsTime) {
    add_problems(2);
    SweepSearch search;
    search.until = clock_.now();
    const SweepResult result = sweep(std::move(search));
    EXPECT_TRUE(result.rows.empty());
    EXPECT_EQ(result.begun, 0U);
    EXPECT_FALSE(result.interrupted);
}

TEST_F(SweepTest, NamesTheRangeThatItWasStoppedIn) {
    add_problem(4);
    problems_[0].domain = SizeBox{{4}, {1024}};
    device_.before_sample = second_.before_sample = [this] { stop_ = true; };
    const SweepResult result = sweep();
    EXPECT_TRUE(result.interrupted);
    EXPECT_TRUE(result.rows.empty());
    ASSERT_EQ(result.stopped.size(), 1U);
    EXPECT_EQ(result.stopped[0].name, "sum 4");
    EXPECT_TRUE(result.stopped[0].device.starts_with("cuda:")) << result.stopped[0].device;
}

TEST_F(SweepTest, SkipsCompleteProblemsSoThatRepetitionAddsNothing) {
    add_problems(3);
    add_problem(1000);
    add_problem(1010);  // shares its winner with 1000
    const SweepResult first = sweep();
    EXPECT_EQ(first.count(SweepRow::Outcome::tuned), 5U);
    EXPECT_EQ(first.stored(), 5U);
    const std::size_t before = measured();
    const SweepResult again = sweep();
    EXPECT_EQ(again.count(SweepRow::Outcome::skipped), 5U);
    EXPECT_EQ(again.stored(), 0U);
    EXPECT_EQ(measured(), before);
    for (std::size_t i = 0; i < again.rows.size(); ++i) {
        const SweepRow& row = again.rows[i];
        EXPECT_TRUE(row.has_winner());
        EXPECT_EQ(row.note, "complete");
        if (i < 3) {
            EXPECT_EQ(row.configuration, first.rows[i].configuration);
            EXPECT_EQ(row.median_ns, first.rows[i].median_ns);
        }
    }
}

TEST_F(SweepTest, TellsProblemsThatCouldNotStartFromThoseThatWereSkipped) {
    add_problems(2);
    problems_[1].kernel = [](const Device&) -> const Kernel& {
        throw Error(ErrorKind::unavailable, "no compiler");
    };
    static_cast<void>(sweep());
    const SweepResult result = sweep();
    EXPECT_EQ(result.rows[0].outcome, SweepRow::Outcome::skipped);
    EXPECT_EQ(result.rows[1].outcome, SweepRow::Outcome::not_started);
    EXPECT_EQ(result.rows[1].note, "no compiler");
    EXPECT_FALSE(result.rows[1].has_winner());
}

TEST_F(SweepTest, ARowHasNoTimeOfAWinnerThatWasTimedAtOtherSizes) {
    Winner winner;
    winner.configuration = kFastest;
    winner.sizes = "n=2000";
    winner.median_ns = 5;
    SweepRow row;
    row.set_winner({device_, kernel_, fake_sum_problem(1000)}, winner);
    EXPECT_EQ(row.configuration, kFastest);
    EXPECT_FALSE(row.has_time());
    winner.sizes = "n=1000";
    row.set_winner({device_, kernel_, fake_sum_problem(1000)}, winner);
    EXPECT_EQ(row.median_ns, 5);
}

TEST_F(SweepTest, TunesCompleteProblemsOnRequest) {
    add_problems(2);
    static_cast<void>(sweep());
    const std::size_t before = measured();
    EXPECT_EQ(sweep({.again = true}).count(SweepRow::Outcome::tuned), 2U);
    EXPECT_GT(measured(), before);
}

TEST_F(SweepTest, TunesProvisionalWinnersAgainOnceTheDeviceIsQuiet) {
    add_problem(4);
    const auto contended = [use = ProcessorUse()]() mutable {
        use.ran += std::chrono::milliseconds(1);
        use.waited += std::chrono::milliseconds(1);
        return use;
    };
    device_.processor_use = second_.processor_use = contended;
    EXPECT_TRUE(is_provisional(sweep().rows.at(0).certainty));
    device_.use = second_.use = 0.5;
    EXPECT_EQ(sweep().count(SweepRow::Outcome::skipped), 1U) << "still busy";
    EXPECT_NE(warnings_.back().find("cuda:1 is 50 % busy with other work"), std::string::npos)
        << warnings_.back();
    device_.use = second_.use = 0;
    device_.processor_use = second_.processor_use = nullptr;
    const SweepResult quiet = sweep();
    EXPECT_EQ(quiet.count(SweepRow::Outcome::tuned), 1U);
    EXPECT_FALSE(is_provisional(quiet.rows.at(0).certainty));
    EXPECT_EQ(sweep().count(SweepRow::Outcome::skipped), 1U);
}

TEST_F(SweepTest, KeepsAProvisionalWinnerAfterTwoTries) {
    add_problem(4);
    device_.processor_use = second_.processor_use = [use = ProcessorUse()]() mutable {
        use.ran += std::chrono::milliseconds(1);
        use.waited += std::chrono::milliseconds(1);
        return use;
    };
    EXPECT_EQ(sweep().count(SweepRow::Outcome::tuned), 1U);
    EXPECT_EQ(sweep().count(SweepRow::Outcome::tuned), 1U);
    EXPECT_EQ(sweep().count(SweepRow::Outcome::skipped), 1U);
}

TEST_F(SweepTest, TunesAnewWithAnotherDriver) {
    add_problems(2);
    static_cast<void>(sweep());
    device_.info_.driver = second_.info_.driver = "Fake 2";
    EXPECT_EQ(sweep().count(SweepRow::Outcome::tuned), 2U);
}

TEST_F(SweepTest, TakesAllDevicesOfAKindUnlessOneIsNamed) {
    const auto ids = [this](const std::string& word) {
        std::vector<std::string> all;
        for (const Device* device : sweep_devices(*engine_, word)) {
            all.push_back(device->info().id);
        }
        return all;
    };
    EXPECT_EQ(ids(""), (std::vector<std::string>{"cuda:0", "cuda:1"}));
    EXPECT_EQ(ids("cuda"), (std::vector<std::string>{"cuda:0", "cuda:1"}));
    EXPECT_EQ(ids("cuda:1"), (std::vector<std::string>{"cuda:1"}));
    expect_error(ErrorKind::unavailable, "host", [&] { ids("host"); });
}

/// Begins with two problems, and replaces the second by another once the first is done.
class ChangedOrder : public SweepOrder {
public:
    std::vector<std::size_t> begin() override { return {2, 1}; }
    std::vector<std::size_t> after(const SweepRow& row, double seconds) override {
        EXPECT_GT(seconds, 0);
        EXPECT_EQ(row.outcome, SweepRow::Outcome::tuned);
        return row.problem == 2 ? std::vector<std::size_t>{0, 2} : std::vector<std::size_t>{};
    }
};

TEST_F(SweepTest, FollowsAnOrderThatChangesWithWhatIsDone) {
    add_problems(4);
    ChangedOrder order;
    SweepSearch search;
    search.order = &order;
    Sweep sweep(*engine_, {&device_}, problems_, search, stop_, observer_);
    sweep.run();
    ASSERT_EQ(observer_.rows().size(), 2U);
    EXPECT_EQ(observer_.rows()[0].problem, 2U);
    EXPECT_EQ(observer_.rows()[1].problem, 0U);
}

}  // namespace
}  // namespace jitune::internal
