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
    FinalistFigures figures_{"block=128 items=2", {2e9, 4e9}, {3, 5}, {}, {}};
};

TEST_F(ObjectiveTest, CostsTimeEnergyTheirProductOrAMetric) {
    using Costs = std::vector<double>;
    EXPECT_EQ(objective("time").costs(task_, figures_), (Costs{2, 4}));
    EXPECT_EQ(objective("energy").costs(task_, figures_), (Costs{3, 5}));
    EXPECT_EQ(objective("edp").costs(task_, figures_), (Costs{6, 20}));
    EXPECT_EQ(objective("rate").costs(task_, figures_), (Costs{-500, -250}));
    EXPECT_EQ(objective("threads").costs(task_, figures_), (Costs{128, 128}));
    EXPECT_EQ(objective("work").costs(task_, figures_), (Costs{-1000.0 / 3, -200}));
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
                 [&] { (void)objective("work").costs(task_, figures_); });
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
