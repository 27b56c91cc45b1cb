// SPDX-License-Identifier: Apache-2.0
// `jitune tune --objective`
#include "fixtures/cli_fixture.hpp"

namespace jitune::internal {
namespace {

/// The slower a candidate, the less memory it claims to use.
constexpr const char* kTwice = R"cu(/* jitune template
kernel = "twice"
backend = "host"
sizes = ["n"]

[parameters]
passes = { values = [1, 40], default = 1 }

[arguments]
in = { access = "in", type = "int32", count = "n" }
out = { access = "out", type = "int32", count = "n" }
n = { access = "scalar", type = "int64", value = "n" }

[[launch]]
entry = "twice"
template = ["passes"]
arguments = ["in", "out", "n"]

[reference]
entry = "twice"
template = ["passes"]
arguments = ["in", "out", "n"]

[metrics]
memory = { value = "100.0 / passes", unit = "B", better = "lower" }
passed = { value = "1.0 * passes" }
work = { value = "n / joules" }
part = { value = "7 / (passes - 1)" }
*/
template <int kPasses>
void twice(const int* in, int* out, long n) {
    for (int pass = 0; pass < kPasses; ++pass) {
        for (long i = 0; i < n; ++i) {
            static_cast<volatile int*>(out)[i] = 2 * in[i];
        }
    }
}
)cu";

class CliObjectiveTest : public CliFixture {
protected:
    void SetUp() override {
        CliFixture::SetUp();
        std::ofstream(path("k.host.cpp")) << kTwice;
        // Without a budget, both candidates are tried however long they take to compile.
        tune_ = "tune " + path("k.host.cpp") + " --size n=20000 --budget 0 --db " + path("t.db");
    }
    std::string tune_;
};

TEST_F(CliObjectiveTest, ChoosesByAMetricAndPinsTheChoice) {
    const json tuned = jitune_json(tune_ + " --objective memory");
    EXPECT_EQ(tuned["chosen"], "passes=40");
    EXPECT_EQ(tuned["objective"], "memory");
    ASSERT_EQ(tuned["finalists"].size(), 2U);
    EXPECT_EQ(tuned["finalists"][0]["configuration"], "passes=1");  // the fastest first
    EXPECT_EQ(tuned["finalists"][0]["pareto"], true);
    EXPECT_EQ(tuned["finalists"][1]["metrics"]["memory"]["value"], 2.5);
    EXPECT_FALSE(tuned["finalists"][0]["metrics"].contains("work"));  // no joules are known
    const auto is_pinned = [&] {
        return jitune_json("db list --db " + path("t.db"))["winners"][0]["pinned"] == true;
    };
    EXPECT_EQ(is_pinned(), tuned["pinned"] == true);
    if (tuned["pinned"] != true) {  // other processes disturbed it: a choice by such times is none
        EXPECT_EQ(jitune_json(tune_ + " --objective time")["configuration"], "passes=1");
        return;
    }
    EXPECT_LT(tuned["speed_up"], 0.5);

    // Of two metrics in opposite directions the other one chooses otherwise, but the pin holds.
    const json other = jitune_json(tune_ + " --objective time");
    EXPECT_EQ(other["configuration"], "passes=40");
    EXPECT_EQ(other["kept"], true);
    EXPECT_FALSE(other.contains("finalists"));
    EXPECT_TRUE(is_pinned());
}

TEST_F(CliObjectiveTest, KeepsAWinnerThatAPersonHasPinned) {
    ASSERT_EQ(jitune(tune_).code, 0);
    const std::string id =
        jitune_json("db list --db " + path("t.db"))["winners"][0]["id"].get<std::string>();
    ASSERT_EQ(jitune("db pin " + id + " --db " + path("t.db")).code, 0);
    const json row = jitune_json("db explain " + path("k.host.cpp") + " --size n=20000 --db " +
                                 path("t.db"))["rows"][0];
    EXPECT_EQ(row["pinned"], true);
    EXPECT_TRUE(row["reason"].get<std::string>().ends_with("; pinned")) << row["reason"];
    const json tuned = jitune_json(tune_ + " --objective passed");
    EXPECT_EQ(tuned["chosen"], "passes=40");
    EXPECT_EQ(tuned["configuration"], "passes=1");
    EXPECT_EQ(tuned["kept"], true);
    const auto text = jitune(tune_ + " --objective passed");
    EXPECT_NE(text.out.find("it is pinned until jitune db unpin"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("chosen by passed: passes=40"), std::string::npos) << text.out;
    const auto swept =
        jitune("sweep " + path("k.host.cpp") + " --size n=20000 --db " + path("t.db"));
    EXPECT_NE(swept.out.find("1 skipped"), std::string::npos) << swept.out;
    EXPECT_NE(swept.out.find("pinned winners stay until jitune db unpin"), std::string::npos);
}

TEST_F(CliObjectiveTest, ChoosesAmongWhatTheRestrictionsLeave) {
    ASSERT_EQ(jitune(tune_).code, 0);
    const json tuned = jitune_json(tune_ + " --objective passed --only passes=1");
    EXPECT_EQ(tuned["chosen"], "passes=1");
    ASSERT_EQ(tuned["finalists"].size(), 1U);
}

TEST_F(CliObjectiveTest, ShowsAMetricThatSomeHaveNoValueOf) {
    const auto tuned = jitune(tune_ + " --objective passed --counters");
    EXPECT_EQ(tuned.code, 0) << tuned.err;
    EXPECT_NE(tuned.out.find("no hardware counters: "), std::string::npos) << tuned.out;
    const auto refused = jitune(tune_ + " --objective part");
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("the metric part has no value for passes=1"), std::string::npos)
        << refused.err;
}

TEST_F(CliObjectiveTest, RefusesEnergyBeforeItTunesWhereNoneIsCounted) {
    for (const char* objective : {"energy", "edp", "work"}) {
        const auto refused = jitune(tune_ + " --objective " + objective);
        EXPECT_EQ(refused.code, 4) << objective;
        EXPECT_NE(refused.err.find("no energy counter"), std::string::npos) << refused.err;
        EXPECT_EQ(refused.out, "");
    }
    const auto unknown = jitune(tune_ + " --objective size");
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("time, energy, edp, memory, passed, work, part"), std::string::npos)
        << unknown.err;
    EXPECT_EQ(jitune(tune_ + " --objective memory --finalists 1").code, 2);
}

TEST_F(CliObjectiveTest, RefusesFinalistsThatNothingChoosesOrReads) {
    for (const char* objective : {"", " --objective time"}) {
        const auto refused = jitune(tune_ + " --finalists 2" + objective);
        EXPECT_EQ(refused.code, 2) << objective;
        EXPECT_TRUE(is_one_line(refused.err)) << refused.err;
        EXPECT_NE(refused.err.find("--counters reads, or that an --objective other than time"),
                  std::string::npos)
            << refused.err;
        EXPECT_EQ(refused.out, "");
    }
    EXPECT_EQ(jitune_json(tune_ + " --finalists 2 --counters")["finalists"].size(), 2U);
}

}  // namespace
}  // namespace jitune::internal
