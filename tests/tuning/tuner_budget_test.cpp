// SPDX-License-Identifier: Apache-2.0
// What a search tries when its budget ends.
#include <atomic>
#include <thread>

#include "fixtures/tuner_fixture.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class TunerBudgetTest : public TunerTest {
protected:
    /// The default takes longer than the budget, while a compiler is at work on other candidates.
    TuneReport tune_with_a_slow_compiler(milliseconds budget, milliseconds sample) {
        std::atomic<bool> is_late{false}, has_begun{false};
        plan_.compile_threads = 2;
        plan_.budget = budget;
        device_.before_sample = [&] {
            while (!has_begun) {
                std::this_thread::yield();
            }
            clock_.advance(sample);
        };
        device_.before_compile = [&](std::span<const Instance> instances) {
            if (instances.front().expressions.front() == fake_sum(64, 2)) {
                return;
            }
            has_begun = true;
            while (!is_late) {
                std::this_thread::yield();
            }
        };
        hooks_.progress = [&](const TuneProgress&) { is_late = true; };
        return tune();
    }
};

TEST_F(TunerBudgetTest, TriesTheDefaultWhereItIsSpentAtOnce) {
    device_.before_sample = [&] { clock_.advance(milliseconds(2)); };
    plan_.budget = milliseconds(1);
    const TuneReport report = tune();
    EXPECT_EQ(report.measurements.front().configuration, kFakeDefault);
    EXPECT_LT(report.progress.evaluated, kSpace);
    EXPECT_FALSE(report.winner.complete);
}

TEST_F(TunerBudgetTest, TriesWhatCompilesWhenItEnds) {
    const TuneReport report = tune_with_a_slow_compiler(milliseconds(1), milliseconds(2));
    EXPECT_GT(report.progress.evaluated, 1U);
    EXPECT_LT(report.progress.evaluated, kSpace);
    EXPECT_FALSE(report.winner.complete);
}

TEST_F(TunerBudgetTest, TriesForAQuarterOfItMoreAtMost) {
    EXPECT_EQ(tune_with_a_slow_compiler(milliseconds(40), milliseconds(20)).progress.evaluated, 2U)
        << "one takes longer than that";
}

TEST_F(TunerBudgetTest, WaitsForNoCompileThatCanBeStopped) {
    BinaryCache binaries([&](Device& device, const TemplateSource& source, auto instances,
                             CompileCall& call) -> std::vector<CompileOutcome> {
        if (instances.front().expressions.front() == fake_sum(64, 2)) {
            return device.compile(source, instances);
        }
        while (!call.stop.stop_requested()) {
            clock_.advance(milliseconds(1));
            std::this_thread::yield();
        }
        throw CompileStopped();
    });
    plan_.compile_threads = 2;
    plan_.budget = milliseconds(40);
    const TuneReport report =
        internal::tune({device_, kernel_, problem_}, plan_, hooks_, binaries, Log(LogLevel::off));
    EXPECT_EQ(report.winner.configuration, kFakeDefault);
    EXPECT_FALSE(report.winner.complete);
}

TEST_F(TunerBudgetTest, TriesNothingMoreWhereAnotherWorkerHasSpentIt) {
    plan_.budget = std::chrono::seconds(1);
    plan_.spent = std::chrono::seconds(1);
    const TuneReport report = tune();
    EXPECT_EQ(report.progress.evaluated, 1U);
    EXPECT_EQ(device_.compiled(), std::vector<std::string>{fake_sum(64, 2)});
}

TEST_F(TunerBudgetTest, ItsClockStandsStillWhileTheTuningRests) {
    const ActiveTime active(hooks_);
    const auto begin = active.now();
    clock_.advance(milliseconds(30));
    *hooks_.rested += milliseconds(20);
    EXPECT_NEAR(active.seconds_since(begin), 0.01, 1e-6);
}

}  // namespace
}  // namespace jitune::internal
