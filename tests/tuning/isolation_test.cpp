// SPDX-License-Identifier: Apache-2.0
#include "tuning/isolation/isolation.hpp"
#include "families/families.hpp"

#include <chrono>
#include <thread>

#include "dispatch/engine.hpp"
#include "fake/fake_device.hpp"
#include "fixtures/behaviour_kernel.hpp"
#include "fixtures/expect_error.hpp"
#include "measure/conditions.hpp"
#include "support/temp_dir.hpp"
#include "tuning/finals/finalist.hpp"
#include "tuning/record/record_maker.hpp"

namespace jitune::internal {
namespace {

using std::chrono::milliseconds;

class IsolationTest : public testing::Test {
protected:
    IsolationTest() {
        options_.database = dir_.path() / "tuning.db";
        options_.worker = JITUNE_BEHAVIOUR_WORKER;
    }

    static Kernel kernel(std::vector<std::string> behaviours) {
        behaviours.insert(behaviours.begin(), {"behaviour", "host", "4"});
        return behaviour_kernel(behaviours);
    }

    TuneReport tune(const Kernel& kernel, const SearchPlan& plan = {},
                    const TuneHooks& hooks = {}) {
        Engine engine(options_, families());
        return engine.tuner().tune({engine.device("host"), kernel, behaviour_problem(5000)}, plan,
                                   hooks);
    }

    /// The last verdict on each configuration.
    static std::map<std::string, Measurement> verdicts(const TuneReport& report) {
        std::map<std::string, Measurement> result;
        for (const Measurement& one : report.measurements) {
            if (!is_of_finals(one)) {
                result.insert_or_assign(one.configuration, one);
            }
        }
        return result;
    }

    static std::string name(const std::string& behaviour, int copy) {
        return "behaviour=" + behaviour + " copy=" + std::to_string(copy);
    }

    TempDir dir_;
    Options options_;
};

TEST_F(IsolationTest, AWorkerRestsUntilItHasATurn) {
    struct : TuneObserver {
        void rests() override { ++count; }
        int count = 0;
    } observer;
    FakeDevice host("host");
    const Kernel source = kernel({"good"});
    const RecordMaker record_maker({host, source, behaviour_problem(5000)});
    const Log log;
    TuneHooks hooks;
    hooks.observer = &observer;
    hooks.has_turn = [&] { return observer.count > 0; };
    const auto report = Isolation(options_, log).tune(record_maker, {}, hooks);
    ASSERT_TRUE(report);
    EXPECT_EQ(observer.count, 1);
    EXPECT_EQ(report->progress.failed, 0U);
}

TEST_F(IsolationTest, AHangOnOneDeviceDoesNotAffectAnother) {
    options_.hang_limit = milliseconds(3000);     // a thousand times as long as a good one takes
    FakeDevice hanging("host"), other("host:0");  // a worker takes both for the host
    const Log log;
    Isolation isolation(options_, log);
    const auto tune_on = [&](FakeDevice& device, const std::vector<std::string>& behaviours,
                             std::size_t evaluations) {
        const Kernel source = kernel(behaviours);
        const RecordMaker record_maker({device, source, behaviour_problem(5000)});
        return isolation.tune(record_maker,
                              {.strategy = "exhaustive", .max_evaluations = evaluations}, {});
    };
    std::optional<TuneReport> hung, good;
    {
        const std::jthread first([&] { hung = tune_on(hanging, {"good", "hang"}, 5); });
        const std::jthread second([&] {
            for (int i = 0; i < 3; ++i) {
                good = tune_on(other, {"good"}, 0);
            }
        });
    }
    for (const auto& [configuration, one] : verdicts(*good)) {
        EXPECT_EQ(one.verdict, Verdict::timed) << configuration << ": " << one.reason;
    }
    EXPECT_EQ(good->progress.evaluated, 4U);
    EXPECT_EQ(hung->progress.failed, 1U);
    EXPECT_EQ(hung->progress.evaluated, 5U);
    EXPECT_GE(isolation.compiles(), 8);
}

TEST_F(IsolationTest, SaysWhyAWorkerCannotBeStarted) {
    options_.worker = "/no/such/program";
    expect_error(ErrorKind::unavailable, "/no/such/program", [&] { tune(kernel({"good"})); });
    options_.worker = "/bin/true";
    expect_error(ErrorKind::unavailable, "is not the jitune command of this build",
                 [&] { tune(kernel({"good"})); });
}

TEST_F(IsolationTest, TheBestSoFarComesWithItsCode) {
    int with_code = 0;
    TuneHooks hooks;
    hooks.progress = [&](const TuneProgress& progress) {
        if (progress.incumbent) {
            const auto& image = progress.incumbent->binary.image;
            ASSERT_TRUE(image != nullptr && !image->empty()) << progress.incumbent->configuration;
            ++with_code;
        }
    };
    tune(kernel({"good", "off_by_one"}), {.strategy = "exhaustive"}, hooks);
    EXPECT_GE(with_code, 2);
}

TEST_F(IsolationTest, StopsOnRequestAndResumesLater) {
    std::atomic<bool> stop{false};
    const SearchPlan plan{.strategy = "exhaustive"};
    const TuneHooks hooks{&stop,
                          [&](const TuneProgress& progress) { stop = progress.evaluated >= 2; }};
    const TuneReport first = tune(kernel({"good", "off_by_one"}), plan, hooks);
    EXPECT_FALSE(first.winner.complete);
    EXPECT_LT(first.progress.evaluated, 8U);
    const TuneReport second = tune(kernel({"good", "off_by_one"}), plan);
    EXPECT_TRUE(second.winner.complete);
    EXPECT_EQ(second.progress.evaluated, 8U);
    const auto later = verdicts(second);
    for (const auto& [configuration, one] : verdicts(first)) {
        const bool disturbed =
            one.verdict == Verdict::timed && Conditions::parse(one.conditions).contended;
        EXPECT_TRUE(disturbed || !later.contains(configuration)) << configuration;
    }
}

TEST_F(IsolationTest, RemembersACandidateThatIsWrongInTheFinals) {
    const Kernel two = kernel({"good", "wrong_after_a_rest"});
    const std::string culprit = name("wrong_after_a_rest", 1);
    const TuneReport first =
        tune(two, {.strategy = "exhaustive", .max_evaluations = 8, .incumbent = culprit});
    EXPECT_NE(first.winner.configuration, culprit);
    EXPECT_EQ(verdicts(first).at(culprit).verdict, Verdict::wrong_result);
    for (const Measurement& one : tune(two, {.strategy = "exhaustive"}).measurements) {
        EXPECT_NE(one.configuration, culprit) << "a later session";
    }
}

TEST_F(IsolationTest, EndsAtItsTarget) {
    const TuneReport report = tune(kernel({"good"}), {.strategy = "exhaustive", .target_ns = 1e12});
    EXPECT_EQ(report.progress.evaluated, 1U);
    EXPECT_FALSE(report.winner.complete);
}

}  // namespace
}  // namespace jitune::internal
