// SPDX-License-Identifier: Apache-2.0
#include "tuning/objective.hpp"

#include "fake/fake_sum.hpp"
#include "fixtures/expect_error.hpp"

namespace jitune::internal {
namespace {

constexpr const char* kMetrics = R"cu(
metrics.rate = { value = "n / seconds", unit = "1/s" }
metrics.threads = { value = "block * 1.0", better = "lower" }
metrics.work = { value = "n / joules" }
metrics.none = { value = "1 / (block - 64)" }
)cu";

class ObjectiveTest : public testing::Test {
protected:
    Objective objective(const std::string& name) {
        return Objective::parse(name, kernel_.kernel_template.front_matter());
    }

    FakeDevice device_;
    Kernel kernel_ = fake_sum_kernel(kMetrics);
    Task task_{device_, kernel_, fake_sum_problem()};
    FinalistFigures figures_{"block=128 items=2", {2e9, 4e9}, {3, 5}, {}, {}, 5e9};
};

TEST_F(ObjectiveTest, CostsWhatNeedsNoEnergyAtTheMedianTime) {
    figures_.launch_ns = {1e9, 2e9, 9e9};
    figures_.energy_j.clear();
    EXPECT_EQ(objective("time").cost(task_, figures_), (Interval{2, 1, 9}));
    EXPECT_EQ(objective("rate").cost(task_, figures_), (Interval{-500, -1000, -1000.0 / 9}));
    EXPECT_EQ(objective("threads").cost(task_, figures_), (Interval{128, 128, 128}));
}

TEST_F(ObjectiveTest, CostsTheMeanOfWhatNeedsEnergy) {
    const auto mean = [&](const std::string& name) {
        const Interval cost = objective(name).cost(task_, figures_);
        EXPECT_LT(cost.low, cost.value) << name;
        EXPECT_DOUBLE_EQ(cost.high - cost.value, cost.value - cost.low) << name;
        return cost.value;
    };
    EXPECT_DOUBLE_EQ(mean("energy"), 4);
    EXPECT_DOUBLE_EQ(mean("edp"), 13);  // of 6 and 20, not 4 J times 3 s
    EXPECT_DOUBLE_EQ(mean("work"), -(1000.0 / 3 + 200) / 2);
}

TEST_F(ObjectiveTest, ShowsTheMetricsThatItJudgesBy) {
    const auto metrics = finalist_metrics(task_, figures_);
    ASSERT_EQ(metrics.size(), 4U);
    EXPECT_EQ(metrics[0].name, "rate");
    EXPECT_DOUBLE_EQ(metrics[0].value, 200);  // at the time of the tuning, not of the windows
    EXPECT_EQ(metrics[2].name, "work");
    EXPECT_DOUBLE_EQ(metrics[2].value, -objective("work").cost(task_, figures_).value);
    figures_.energy_j.clear();
    EXPECT_EQ(finalist_metrics(task_, figures_).size(), 3U);
}

TEST_F(ObjectiveTest, KnowsWhetherItNeedsEnergy) {
    EXPECT_FALSE(objective("time").needs_energy(task_));
    EXPECT_FALSE(objective("rate").needs_energy(task_));
    EXPECT_FALSE(objective("threads").needs_energy(task_));
    EXPECT_TRUE(objective("energy").needs_energy(task_));
    EXPECT_TRUE(objective("edp").needs_energy(task_));
    EXPECT_TRUE(objective("work").needs_energy(task_));
    expect_error(ErrorKind::usage, "the metric none has no value for block=64",
                 [&] { (void)objective("none").needs_energy(task_); });
}

TEST_F(ObjectiveTest, RefusesOtherNamesAndListsThese) {
    expect_error(ErrorKind::usage, "time, energy, edp, rate, threads, work",
                 [&] { objective("power"); });
}

TEST_F(ObjectiveTest, RefusesAMetricWithoutAValue) {
    figures_.energy_j.clear();
    expect_error(ErrorKind::usage, "the metric work has no value",
                 [&] { (void)objective("work").cost(task_, figures_); });
}

TEST(ObjectiveChoice, TakesTheLeastCost) {
    const std::vector<Judged> finalists{{"a", 10, {5, 4.9, 5.1}}, {"b", 12, {4, 3.9, 4.1}}};
    EXPECT_EQ(best_of(finalists), 1U);
}

TEST(ObjectiveChoice, TakesTheFastestOfThoseThatTheIntervalsDoNotTellApart) {
    const std::vector<Judged> finalists{
        {"a", 10, {5, 4.9, 5.1}}, {"b", 11, {4.1, 3.9, 4.3}}, {"c", 12, {4, 3.8, 4.2}}};
    EXPECT_EQ(best_of(finalists), 1U);
    expect_error(ErrorKind::usage, "no finalist", [] { best_of({}); });
}

TEST(ObjectiveChoice, KnowsTheParetoFront) {
    const std::vector<Judged> finalists{
        {"a", 10, {5, 5, 5}}, {"b", 11, {6, 6, 6}}, {"c", 12, {4, 4, 4}}, {"d", 12, {4, 4, 4}}};
    EXPECT_EQ(pareto_front(finalists), (std::vector<bool>{true, false, true, true}));
}

}  // namespace
}  // namespace jitune::internal
