// SPDX-License-Identifier: Apache-2.0
#include "sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/exit_code.hpp"
#include "fixtures/engine_fixture.hpp"

namespace jitune::internal {
namespace {

/// Sweeps of the fake sum on two devices of one class.
class SweepTest : public EngineFixture {
protected:
    SweepTest() {
        second_.kernel = right_sum;
        plan_.kernel = "sum";
        plan_.columns = {{"size", Align::right}};
    }

    void add_problem(std::int64_t n) {
        SweepProblem problem;
        problem.problem = fake_sum_problem(n);
        problem.kernel = [this](const Device&) -> const Kernel& { return kernel_; };
        problem.name = fmt::format("sum {}", n);
        problem.cells = {fmt::format("{}", n)};
        problem.json = {{"n", n}};
        problem.bytes = static_cast<double>(4 * n);
        plan_.problems.push_back(std::move(problem));
    }

    /// Sizes of different buckets.
    void add_problems(int count) {
        for (int i = 0; i < count; ++i) {
            add_problem(std::int64_t{4} << i);
        }
    }

    SweepResult sweep() {
        Sweep sweep(*engine_, sweep_devices(*engine_, "cuda"), plan_, {}, stop_,
                    [this](const std::string& text) {
                        lines_.push_back(text);
                        ++printed_;
                    });
        return sweep.run();
    }

    std::vector<std::int64_t> sizes(const SweepResult& result) {
        std::vector<std::int64_t> all;
        for (const SweepRow& row : result.rows) {
            all.push_back(row.problem.problem.sizes[0]);
        }
        return all;
    }

    std::size_t stored() { return engine_->store()->winners().size(); }

    FakeDevice second_{"cuda:1"};
    std::unique_ptr<Engine> engine_ = make_two();
    SweepPlan plan_;
    std::atomic<bool> stop_{false};
    std::vector<std::string> lines_;
    std::atomic<std::size_t> printed_{0};

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
    EXPECT_EQ(sweep_exit_code(result), kExitOk);
}

TEST_F(SweepTest, PrintsOneTableOfWholeRowsThatNameTheDevice) {
    add_problems(6);
    const SweepResult result = sweep();
    ASSERT_EQ(lines_.size(), 8U);
    EXPECT_TRUE(lines_[0].starts_with("sum on cuda:0, cuda:1 (Fake)")) << lines_[0];
    EXPECT_TRUE(lines_[1].starts_with("size  device")) << lines_[1];
    std::multiset<std::string> printed(lines_.begin() + 2, lines_.end());
    const SweepTable table(plan_, {"cuda:0", "cuda:1"});
    for (const SweepRow& row : result.rows) {
        EXPECT_EQ(printed.count(table.line(row)), 1U) << table.line(row);
    }
    const auto json = nlohmann::json::parse(sweep_json(result).text());
    EXPECT_EQ(json["rows"][5]["device"], result.rows[5].device);
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
    plan_.problems[2].kernel = [](const Device&) -> const Kernel& {
        throw Error(ErrorKind::usage, "of no use");
    };
    expect_error(ErrorKind::usage, "of no use", [&] { sweep(); });
    EXPECT_EQ(stored(), lines_.size() - 2);
    EXPECT_GE(stored(), 1U);
}

TEST_F(SweepTest, StopsOnAllDevicesAndGoesOnLater) {
    add_problems(8);
    device_.before_sample = second_.before_sample = [this] {
        stop_ = stop_ || printed_ > 3;
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    };
    const SweepResult result = sweep();
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(sweep_exit_code(result), kExitInterrupted);
    EXPECT_LT(result.rows.size(), 8U);
    EXPECT_EQ(stored(), result.rows.size());
    EXPECT_NE(sweep_summary(result).find("of 8 problems were begun"), std::string::npos);
    stop_ = false;
    lines_.clear();
    device_.before_sample = second_.before_sample = {};
    EXPECT_EQ(sweep().rows.size(), 8U);
    EXPECT_EQ(stored(), 8U);
}

TEST_F(SweepTest, TakesAllDevicesOfAKindUnlessOneIsNamed) {
    const auto ids = [this](const std::string& word) {
        std::vector<std::string> all;
        for (const Device* device : sweep_devices(*engine_, word)) {
            all.push_back(device->info().id);
        }
        return all;
    };
    EXPECT_EQ(ids("auto"), (std::vector<std::string>{"cuda:0", "cuda:1"}));
    EXPECT_EQ(ids("cuda"), (std::vector<std::string>{"cuda:0", "cuda:1"}));
    EXPECT_EQ(ids("cuda:1"), (std::vector<std::string>{"cuda:1"}));
    expect_error(ErrorKind::unavailable, "host", [&] { ids("host"); });
}

}  // namespace
}  // namespace jitune::internal
