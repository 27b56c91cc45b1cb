// SPDX-License-Identifier: Apache-2.0
#include "tuning/search/tuning_history.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace jitune::internal {
namespace {

Measurement row(const std::string& configuration, const std::string& reason = "",
                const std::string& conditions = "l2=cold") {
    Measurement measurement;
    measurement.sizes = "n=8";
    measurement.configuration = configuration;
    measurement.verdict = reason.empty() ? Verdict::timed : Verdict::crashed;
    measurement.reason = reason;
    measurement.conditions = conditions;
    measurement.provenance = {"device", "uuid", "driver", "compiler", "now"};
    return measurement;
}

TuningHistory history_of(const std::vector<Measurement>& rows, bool resume = true) {
    return tuning_history(rows, "n=8", {"device", "other", "driver", "compiler", "later"}, resume,
                          {std::chrono::seconds(60), std::chrono::seconds(120)});
}

Measurement failed(const std::string& configuration, Verdict verdict, const std::string& reason) {
    Measurement measurement = row(configuration, reason);
    measurement.verdict = verdict;
    return measurement;
}

using Names = std::vector<std::string>;

Names names_of(const std::vector<Measurement>& rows) {
    Names names;
    for (const Measurement& measurement : rows) {
        names.push_back(measurement.configuration);
    }
    return names;
}

TEST(TuningHistory, KeepsTheLastVerdictOnEachConfigurationInTheSamePlace) {
    Measurement old = row("a=1", "signal 11");
    Measurement other_size = row("a=2");
    other_size.sizes = "n=9";
    Measurement other_driver = row("a=3");
    other_driver.provenance.driver = "newer";
    const std::vector<Measurement> rows{old, row("a=1"), row("a=1", "", "l2=cold interleaved"),
                                        other_size, other_driver};
    const TuningHistory history = history_of(rows);
    ASSERT_EQ(history.known.size(), 1U);
    EXPECT_EQ(history.known.front(), row("a=1"));
    EXPECT_EQ(history.suspects, Names{});
    EXPECT_TRUE(history_of(rows, false).known.empty());
}

TEST(TuningHistory, RetriesFailuresWhoseReasonMayHavePassed) {
    Measurement refused = row("a=2", "out of memory");
    refused.verdict = Verdict::launch_failed;
    const TuningHistory history = history_of({row("a=1"), refused, row("a=3", "signal 11")});
    ASSERT_EQ(history.known.size(), 2U);
    EXPECT_EQ(history.known[1].configuration, "a=3");
    EXPECT_TRUE(history_of({refused, row("a=3", "signal 11")}).known.empty());
}

TEST(TuningHistory, RetriesCompilesThatLackedSomething) {
    const Measurement full = failed("a=2", Verdict::compile_failed,
                                    "c++: exit code 1\nfinal link failed: No space left on device");
    const Measurement killed = failed("a=3", Verdict::compile_failed, "c++: signal 9 (Killed)\n");
    const Measurement crashed = failed("a=4", Verdict::compile_failed, "c++: signal 11");
    ProcessResult end;
    end.timed_out = true;
    const Measurement late = failed("a=6", Verdict::compile_failed, "c++: " + describe_end(end));
    const Measurement hung = failed("a=5", Verdict::crashed, "signal 9 (Killed)");
    EXPECT_EQ(names_of(history_of({row("a=1"), full, killed, crashed, hung, late}).known),
              (Names{"a=1", "a=4", "a=5"}));
}

TEST(TuningHistory, TriesAllAgainWhereTheLastVerdictsLeaveNoneThatWorks) {
    const Measurement late = failed("a=1", Verdict::timed_out, "did not end in 60 s");
    EXPECT_TRUE(history_of({row("a=1"), late, row("a=2", "signal 11")}).known.empty());
    EXPECT_EQ(names_of(history_of({late, row("a=1"), row("a=2", "signal 11")}).known),
              (Names{"a=1", "a=2"}));
}

TEST(TuningHistory, RetriesWhatHadLessTimeThanItHasToday) {
    const Measurement hung = failed("a=2", Verdict::timed_out, "did not end in 60 s");
    const Measurement hurried = failed("a=3", Verdict::timed_out, "did not end in 0.05 s");
    const Measurement unknown = failed("a=4", Verdict::timed_out, "too slow");
    const Measurement slow_compile =
        failed("a=5", Verdict::compile_failed, "the compiler did not end in 120 s");
    const Measurement hurried_compile =
        failed("a=6", Verdict::compile_failed, "the compiler did not end in 1.5 s");
    const Measurement bad_code = failed("a=7", Verdict::compile_failed, "line 1: garbage");
    EXPECT_EQ(names_of(history_of({row("a=1"), hung, hurried, unknown, slow_compile,
                                   hurried_compile, bad_code})
                           .known),
              (Names{"a=1", "a=2", "a=5", "a=7"}));
}

TEST(TuningHistory, ReadsEveryLimitAsItWasWritten) {
    for (const int ms : {1, 300, 1001, 2049, 60'000, 1'234'564, 86'399'999}) {
        const std::chrono::milliseconds limit(ms), more(ms + 1);
        const std::string reason = no_end_reason(limit);
        const std::vector<Measurement> rows{
            row("a=1"), failed("a=2", Verdict::timed_out, reason),
            failed("a=3", Verdict::compile_failed, "the compiler " + reason)};
        const Provenance& now = rows.front().provenance;
        EXPECT_EQ(names_of(tuning_history(rows, "n=8", now, true, {limit, limit}).known),
                  (Names{"a=1", "a=2", "a=3"}))
            << reason;
        EXPECT_EQ(names_of(tuning_history(rows, "n=8", now, true, {more, more}).known),
                  Names{"a=1"})
            << reason;
    }
}

TEST(TuningHistory, ForgetsAllButQuarantinedConfigurations) {
    const std::string alone = machine_down_reason(0);
    SearchPlan plan;
    plan.history =
        history_of({row("a=1", alone), row("a=1", alone), row("a=2"), row("a=3", "signal 11")})
            .known;
    ASSERT_EQ(plan.history.size(), 3U);
    EXPECT_TRUE(forget_results(plan));
    EXPECT_EQ(names_of(plan.history), Names{"a=1"});
    EXPECT_FALSE(forget_results(plan));
}

TEST(TuningHistory, SuspectsCandidatesUnderWayWhenTheMachineWentDown) {
    const std::string together = machine_down_reason(3);
    const TuningHistory history =
        history_of({row("a=1", together), row("a=2", together), row("a=2")});
    EXPECT_EQ(history.suspects, Names{"a=1"});
    ASSERT_EQ(history.known.size(), 1U);  // a=2 has been measured since
    EXPECT_EQ(history.known.front().verdict, Verdict::timed);
}

TEST(TuningHistory, QuarantinesACandidateThatTakesTheMachineDownAgain) {
    const std::string together = machine_down_reason(3);
    const std::string alone = machine_down_reason(0);
    for (const bool resume : {false, true}) {
        const TuningHistory history =
            history_of({row("a=1", together), row("a=1", alone), row("a=2", together),
                        row("a=2", together), row("a=3", alone)},
                       resume);
        EXPECT_EQ(history.suspects, (Names{"a=2", "a=3"}));
        ASSERT_EQ(history.known.size(), 1U);
        EXPECT_EQ(history.known.front().configuration, "a=1");
        EXPECT_EQ(history.known.front().verdict, Verdict::crashed);
        EXPECT_NE(history.known.front().reason.find("quarantined"), std::string::npos);
    }
}

}  // namespace
}  // namespace jitune::internal
