// SPDX-License-Identifier: Apache-2.0
#include "tuning/finalist_study.hpp"

#include <cmath>

#include "fake/fake_sum.hpp"
#include "fixtures/expect_error.hpp"
#include "tuning/energy_meter.hpp"

namespace jitune::internal {
namespace {

/// Each sample of a timer uses `sample_j`; the counter shows it after every seventh sample only.
class FinalistStudyTest : public testing::Test {
protected:
    FinalistStudyTest() {
        device_.kernel = right_sum;
        device_.before_sample = [this] {
            ++samples_;
            used_j_ += sample_j_ *
                       (wobble_ ? 1 + 0.2 * std::sin(0.37 * static_cast<double>(samples_)) : 1);
            shown_j_ = samples_ % 7 == 0 ? used_j_ : shown_j_;
        };
        device_.energy_j = [this] { return std::optional(shown_j_); };
        plan_.warm_up = std::chrono::milliseconds(1);
        plan_.window = std::chrono::milliseconds(5);
    }

    std::vector<FinalistFigures> study(const std::vector<StudiedFinalist>& finalists) {
        return study_energy(task_, finalists, plan_, hooks_, binaries_, Log(LogLevel::off));
    }

    FakeDevice device_;
    Kernel kernel_ = fake_sum_kernel();
    Task task_{device_, kernel_, fake_sum_problem()};
    BinaryCache binaries_;
    StudyPlan plan_;
    std::atomic<bool> stop_{false};
    TuneHooks hooks_{.stop = &stop_};
    double sample_j_ = 0.25;
    bool wobble_ = false;
    long samples_ = 0;
    double used_j_ = 1000;
    double shown_j_ = 1000;
};

TEST_F(FinalistStudyTest, MeasuresTheEnergyOfALaunchFromOneMoveOfTheCounterToAnother) {
    // 1 ms: five launches are a sample.
    const auto figures = study({{kFakeDefault, 1e6}, {"block=32 items=1", 1e6}});
    ASSERT_EQ(figures.size(), 2U);
    for (const FinalistFigures& one : figures) {
        EXPECT_EQ(one.energy_j.size(), plan_.fewest_windows);
        for (const double energy_j : one.energy_j) {
            EXPECT_DOUBLE_EQ(energy_j, sample_j_ / 5);
        }
        EXPECT_EQ(one.launch_ns.size(), one.energy_j.size());
        EXPECT_GT(one.power_w(), 0);
        EXPECT_EQ(Conditions::parse(one.conditions.text()).phase, Conditions::Phase::study);
        EXPECT_EQ(one.conditions.chain, 5U);
    }
    EXPECT_EQ(figures[0].configuration, kFakeDefault);
}

TEST_F(FinalistStudyTest, TakesMoreWindowsWhereTheyDiffer) {
    wobble_ = true;
    plan_.enough = 1e-9;
    const auto figures = study({{kFakeDefault, 1e6}});
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures[0].energy_j.size(), plan_.most_windows);
    EXPECT_GT(figures[0].energy().uncertainty(), 0);
}

TEST_F(FinalistStudyTest, LeavesOutAFinalistThatFails) {
    device_.on(fake_sum(32, 1)).timer_failure = LaunchFailure{false, false, "no luck"};
    const auto figures = study({{"block=32 items=1", 1e6}, {kFakeDefault, 1e6}});
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_EQ(figures[0].configuration, kFakeDefault);
}

TEST_F(FinalistStudyTest, EndsAtAStopRequestWithWhatIsMeasured) {
    device_.energy_j = [this] {
        stop_ = samples_ > 140;
        return std::optional(shown_j_);
    };
    plan_.warm_up = plan_.window = std::chrono::milliseconds(0);  // 14 samples a window
    plan_.most_windows = 1000;
    plan_.enough = -1;
    const auto figures = study({{kFakeDefault, 1e6}});
    ASSERT_EQ(figures.size(), 1U);
    EXPECT_LT(figures[0].energy_j.size(), 20U);
}

TEST_F(FinalistStudyTest, RefusesADeviceWithoutACounter) {
    refuse_without_energy(device_);
    device_.energy_j = nullptr;
    expect_error(ErrorKind::unavailable, "no energy counter",
                 [&] { refuse_without_energy(device_); });
    expect_error(ErrorKind::unavailable, "no energy counter", [&] {
        study({{kFakeDefault, 1e6}});
    });
}

TEST_F(FinalistStudyTest, HasFiguresThatADatabaseHolds) {
    const FinalistFigures figures{kFakeDefault, {2e6, 2e6, 2e6}, {0.5, 0.5, 0.5}, {}};
    EXPECT_EQ(figures.text(),
              R"({"energy_j":0.5,"energy_low_j":0.5,"energy_high_j":0.5,"power_w":250})");
}

}  // namespace
}  // namespace jitune::internal
